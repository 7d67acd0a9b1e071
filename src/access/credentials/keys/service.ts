/** API keys: creation, rotation, revocation, and whose they are. */
export { findActor, issue, listOfUser, refreshKeysOf, refuseBeyondKeysOf, removeKeysOf, toApiKey } from './keys.ts'
export { metrics } from './metrics.ts'
export { countKeysOf, listKeys } from './store.ts'
export {
  createByLogin,
  findUsersWithKeys,
  type KeyOfLogin,
  refuseTooMany,
  removeAll,
  revokeReplayed,
} from './user-keys.ts'
