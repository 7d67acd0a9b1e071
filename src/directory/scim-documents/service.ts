/** The documents that SCIM keeps beside users: other features ask here. */
export { findByEmail, findDocument, findDocuments, put, remove } from './store.ts'
export { findTextByExternalId, findTextByUsername, findTexts, pageOfTexts, staleMark } from './texts.ts'
