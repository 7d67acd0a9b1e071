import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SignedIn } from '../../../core/actor.ts'
import { memberFault, validationFailed } from '../../../core/errors.ts'
import { normalizePassword, passwordFault } from '../../../directory/passwords/service.ts'
import * as users from '../../../directory/users/service.ts'
import { wordsOf } from '../../../directory/users/service.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { isMultiFactor } from '../../../lib/amr.ts'
import type { Db } from '../../../store/db/db.ts'
import { hasFactor } from '../../credentials/factors/service.ts'
import { personOf } from '../../credentials/sessions/service.ts'
import { type SignInParts, verifyOwnPassword } from '../../sign-in/sign-in/service.ts'
import type { ChangedPassword, ChangeOwnPassword } from './schema.ts'

export type OwnPasswordNeeds = SignInParts & Pick<HttpLayer, 'config' | 'contextOf' | 'cookies' | 'makeChange'>

/**
 * Whether the current password confirms a change of the email address or the password. It does not for a user with a second
 * factor, also in a browser that skips it.
 */
export async function isPasswordEnough(db: Db, { user_id, amr }: SignedIn): Promise<boolean> {
  return !isMultiFactor(amr) && !(await hasFactor(db, user_id))
}

/**
 * Changes the caller's password, for the API and the page. The caller's session continues, all others end.
 *
 * @throws AppError `validation_failed`, `current_password_wrong`, `too_many_attempts`, `overloaded`
 */
export async function changeOwnPassword(
  needs: OwnPasswordNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
  passwords: ChangeOwnPassword,
): Promise<ChangedPassword> {
  const { result, dryRun } = await needs.makeChange(request, reply, 'me.set_password', {
    async input() {
      refuseUnfit(needs, request, passwords)
      const verified_hash = await confirm(needs, request, passwords.current_password)
      // A dry run stores nothing, so there is nothing to hash.
      const isDry = (request.query as { dry_run?: boolean }).dry_run
      return {
        verified_hash,
        password_hash: isDry ? '' : await needs.hasher.hash(passwords.new_password, { from: request.actor.id }),
      }
    },
  })
  return { user_id: result.user_id, revoked: result.revoked, changed: !dryRun }
}

/**
 * Checks the caller's current password again. Returns the hash that it matches, so that the change can check that the
 * password was not replaced in the meantime.
 *
 * @throws AppError `current_password_wrong`, `too_many_attempts`, `overloaded`
 */
export async function confirm(needs: OwnPasswordNeeds, request: FastifyRequest, password: string): Promise<string> {
  const { actor, now, id } = request
  // A user who was just deleted has no password that could be wrong.
  await users.get(needs.contextOf(request), personOf(request).user_id)
  return verifyOwnPassword(needs, { actor, password }, { now, requestId: id })
}

function refuseUnfit({ config }: OwnPasswordNeeds, request: FastifyRequest, passwords: ChangeOwnPassword): void {
  const words = wordsOf(personOf(request), config.productName)
  const fault = passwordFault(passwords.new_password, { words }) ?? sameFault(passwords)
  if (fault) throw validationFailed([memberFault('new_password', fault.code, fault.detail)])
}

/** Reported whether or not the current one is right: it compares only what was sent. */
function sameFault({ current_password, new_password }: ChangeOwnPassword) {
  if (normalizePassword(current_password) !== normalizePassword(new_password)) return undefined
  return { code: 'same_as_before', detail: 'The new password is the same as the current one. Choose another one.' }
}
