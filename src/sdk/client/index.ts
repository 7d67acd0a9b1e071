/** `@rollbook/sdk/client`: a client for programs and pages, with no dependency. See docs/client.md. */
export type { Approval } from './access-requests.ts'
export type { Patch } from './change.ts'
export { type RequestOptions, RollbookClient } from './client.ts'
export {
  ConnectionError,
  IncompleteStreamError,
  type InputFault,
  type Problem,
  RollbookError,
  UnexpectedAnswerError,
} from './errors.ts'
export type { ImportOptions, ImportReject } from './imports.ts'
export { etagOf } from './operations.ts'
export type {
  CallOptions,
  ChangeOptions,
  ClientOptions,
  CreateOptions,
  UserChangeOptions,
  WriteOptions,
} from './options.ts'
export type { AuditFilter, AuditPage } from './records.ts'
export type { Answer, Body, Streamed } from './transport.ts'
export type * from './types.ts'
export type { BulkFilter, BulkRequest, DeletedUserFilter, UserFilter, UserPage } from './users.ts'
