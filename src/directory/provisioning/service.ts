/**
 * The rules of provisioning connections: their names, how many there may be, what becomes of their users. Leaves their keys
 * to access/credentials/keys, which users they may change to users/managed.ts, and the protocol to scim/. Each change runs in a transaction.
 */
export {
  create,
  findManager,
  get,
  type LastUseOf,
  list,
  remove,
  type Shown,
  update,
  type Versioned,
} from './connections.ts'
export { jobs } from './jobs.ts'
export { connectionName, connectionNameTaken } from './name.ts'
export { erase, listRejections, type Rejection } from './rejected.ts'
export {
  type ConnectionRow,
  deleteConnection,
  findConnection,
  findDeleted,
  findLatestManaged,
  findManaged,
  listConnections as listRows,
} from './store.ts'
