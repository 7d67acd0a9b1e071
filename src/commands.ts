import type { ChangeContext } from './context.ts'
import * as idempotency from './idempotency/service.ts'
import * as keys from './keys/service.ts'
import * as users from './users/service.ts'

/**
 * Every change that Rollbook can make, by name. A change is named because it travels: on SQLite it runs in the thread
 * that owns the write connection, where many of them share one commit (docs/decisions/0001).
 */
export const commands = {
  'users.create': users.create,
  'users.update': users.update,
  'users.delete': users.remove,
  'keys.create': keys.create,
  'keys.rotate': keys.rotate,
  'keys.revoke': keys.revoke,
  'keys.bootstrap': keys.bootstrap,
  'keys.record_use': keys.recordUse,
  'idempotency.prune': idempotency.prune,
} satisfies Record<string, (ctx: ChangeContext, input: never) => Promise<unknown>>

export type Commands = typeof commands
export type CommandName = keyof Commands
export type CommandInput<Name extends CommandName> = Parameters<Commands[Name]>[1]
export type CommandResult<Name extends CommandName> = Awaited<ReturnType<Commands[Name]>>
