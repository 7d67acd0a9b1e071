/** Keeps users from removing the last way in which they can sign in: a password, a passkey, or an account of a company. */
import { system } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import * as users from '../../../directory/users/service.ts'
import { canUsePassword } from '../../../directory/users/service.ts'
import type { ChangeContext } from '../../../store/context.ts'
import * as factors from '../../credentials/factors/service.ts'
import { personOf } from '../../credentials/sessions/service.ts'
import { listIdentitiesOf } from './identities-store.ts'
import { listActive } from './store.ts'

/**
 * The caller holds the user's row. An account of a company counts only if its connection is active.
 *
 * @param removed the ids of the identities and factors that are about to go
 * @throws AppError `last_sign_in_way`
 */
export async function refuseLastWay(
  { db }: ChangeContext,
  userId: string,
  removed: ReadonlySet<string>,
): Promise<void> {
  const user = await users.findById(db, scopeOf(system), userId)
  // A connection may refuse the password.
  if (user === undefined || (await canUsePassword(db, user))) return
  const all = await factors.listFactors(db, userId)
  if (all.some(({ kind, factor_id }) => kind === 'passkey' && !removed.has(factor_id))) return
  const identities = await listIdentitiesOf(db, userId)
  const connection_ids = identities.map(({ connection_id }) => connection_id)
  const active = new Set((await listActive(db, { connection_ids })).map(({ connection_id }) => connection_id))
  if (identities.some((one) => active.has(one.connection_id) && !removed.has(one.identity_id))) return
  throw new AppError(
    'last_sign_in_way',
    'You could not sign in again: you have no password that you may use, and no other passkey or account. Add a passkey first.',
  )
}

/**
 * Removes one of the caller's own factors.
 *
 * @throws AppError `last_sign_in_way`, `last_factor`, `factor_not_found`
 */
export async function removeOwnFactor(
  ctx: ChangeContext,
  input: { factor_id: string },
): ReturnType<typeof factors.removeOwn> {
  const { user_id } = personOf(ctx)
  // Two requests that each remove one must not both leave the other as the last way.
  await users.findRowForChange(ctx.db, scopeOf(ctx.actor), user_id)
  const found = (await factors.listFactors(ctx.db, user_id)).find(({ factor_id }) => factor_id === input.factor_id)
  if (found?.kind === 'passkey') await refuseLastWay(ctx, user_id, new Set([found.factor_id]))
  return factors.removeOwn(ctx, input)
}
