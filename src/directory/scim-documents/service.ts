/** The documents that SCIM keeps beside users: other features ask here. */
export { findByEmail, findByKeys, findDocument, findDocuments, type KeptDocument, put, remove } from './store.ts'
export {
  findTextByExternalId,
  findTextByUsername,
  findTexts,
  headRoom,
  joint,
  pageEnd,
  pageOfTexts,
  staleMark,
} from './texts.ts'
