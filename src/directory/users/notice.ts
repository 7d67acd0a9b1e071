/** Queues notices to users about changes to their account, in the commit of the change. */
import { system } from '../../core/actor.ts'
import { scopeOf } from '../../core/scope.ts'
import { timestamp } from '../../lib/instant.ts'
import { type Message, queue } from '../../record/mails/service.ts'
import type { ChangeContext } from '../../store/context.ts'
import { rolesHolding } from './rights.ts'
import * as store from './store.ts'

/** Queues a notice. Without a mail server nothing is read either. */
export async function notify(
  ctx: ChangeContext,
  userId: string,
  { data = {}, ...message }: Pick<Message, 'kind' | 'data' | 'isOnce'>,
): Promise<void> {
  if (!ctx.rules.sendsMail) return
  // Whoever makes the change.
  const to = await store.findUserById(ctx.db, scopeOf(system), userId)
  if (to !== undefined) await queue(ctx, { ...message, to, data: { time: timestamp(ctx.now), ...data } })
}

/** More would be a mailing list; any of them can inform the others. */
const mostAdministrators = 20

/** The same to active administrators. */
export function notifyAdministrators(ctx: ChangeContext, message: Pick<Message, 'kind' | 'data'>): Promise<void> {
  return notifyHolders(ctx, '*', message)
}

/** The same to active users who hold a permission. */
export async function notifyHolders(
  ctx: ChangeContext,
  permission: string,
  message: Pick<Message, 'kind' | 'data' | 'isOnce'>,
): Promise<void> {
  if (!ctx.rules.sendsMail) return
  const ids = await store.findSomeWithRole(ctx.db, rolesHolding(ctx, permission), mostAdministrators, {
    now: ctx.now,
  })
  // In one order for all changes: each message holds the limit of its address.
  for (const id of ids.toSorted()) await notify(ctx, id, message)
}
