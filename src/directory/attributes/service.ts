/**
 * The rules of definitions: how many there are, that existing users fit them, what becomes of their values. Leaves the values
 * of a single user to values.ts, and their index to entries.ts. A change of a definition holds all users.
 */
export { create, list, remove, update } from './attributes.ts'
export { type AttributeCache, attributeCache } from './cache.ts'
export { type Definition, type Definitions, holdDefinitions, readDefinitions } from './definitions.ts'
export { enterpriseAttributes } from './enterprise.ts'
export {
  addEntries,
  changeEntries,
  type Entry,
  findOwnersOfValues,
  ownersOfText,
  removeEntries,
  uniqueEntries,
  valueName,
} from './entries.ts'
export { type AttributeFilter, attributeCondition, attributeFilters, holdersOf } from './filter.ts'
export { checkSettings, checkTexts, settingsOf } from './input.ts'
export { jobs } from './jobs.ts'
export { attributeTexts, attributeTextsIn, refreshSoon } from './search-texts.ts'
export { findSharedEmails } from './shared-emails.ts'
export { listDefinitions, toAttribute } from './store.ts'
export {
  type AttributesInput,
  attributeTaken,
  changedValues,
  type DecimalComma,
  type Door,
  fromCell,
  means,
  pointerTo,
  readValues,
  refuseMissing,
  refuseUniqueForMany,
  stillGood,
  storedValues,
  toCell,
  wantedValues,
} from './values.ts'
