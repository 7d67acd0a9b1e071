/**
 * Decides who may add the first factor without a recent authentication. Some providers, such as Google, never state
 * when they authenticated the user, and a user without a password has nothing else to confirm with: for them the
 * sign-in itself counts.
 */

import type { FastifyRequest } from 'fastify'
import { system } from '../../../core/actor.ts'
import { scopeOf } from '../../../core/scope.ts'
import { canUsePassword, findById } from '../../../directory/users/service.ts'
import { type Recent, recentSeconds, refuseStaleSession } from '../../../http/endpoint/recent-authentication.ts'
import type { Db } from '../../../store/db/db.ts'
import type { Storage } from '../../../store/storage/storage.ts'
import { hasFactor } from './store.ts'

type Asking = Pick<FastifyRequest, 'actor' | 'now'>

/** For routes that add factors. */
export function recentUnlessFirst({ storage }: { storage: Pick<Storage, 'db'> }): Recent {
  return async (request) => !(await mayAddFirst(storage.db, request))
}

/** For pages that add factors. @throws AppError `reauthentication_required` */
export async function refuseStaleUnlessFirst(db: Db, request: Asking): Promise<void> {
  if (!(await mayAddFirst(db, request))) refuseStaleSession(request)
}

/** A session of a company that was begun in the last minutes, of a user without a factor and a password that they may use. */
async function mayAddFirst(db: Db, { actor: { signedIn }, now }: Asking): Promise<boolean> {
  if (signedIn === undefined || signedIn.authTimeMs > 0 || now - signedIn.beganMs > recentSeconds * 1000) return false
  const user = await findById(db, scopeOf(system), signedIn.user_id)
  if (user === undefined || (await canUsePassword(db, user))) return false
  return !(await hasFactor(db, signedIn.user_id))
}
