/** API keys: creation, rotation, revocation, and whose they are. */
export {
  change,
  create,
  findActor,
  issue,
  listOfUser,
  refreshKeysOf,
  refuseBeyondKeysOf,
  remove,
  removeKeysOf,
  rotate,
  toApiKey,
} from './keys.ts'
export { metrics } from './metrics.ts'
export { countKeysOf, findKeyById, listKeys, listUsersWithCredentials } from './store.ts'
export {
  createByLogin,
  findUsersWithKeys,
  type KeyOfLogin,
  refuseTooMany,
  removeAll,
  revokeReplayed,
} from './user-keys.ts'
