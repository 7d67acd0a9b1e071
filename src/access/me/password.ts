import type { FastifyReply, FastifyRequest } from 'fastify'
import { memberFault, validationFailed } from '../../core/errors.ts'
import { normalizePassword, passwordFault } from '../../directory/passwords/policy.ts'
import { wordsOf } from '../../directory/users/password.ts'
import * as users from '../../directory/users/service.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { personOf } from '../sessions/person.ts'
import { type SignInParts, verifyOwnPassword } from '../sign-in/sign-in.ts'
import type { ChangedPassword, ChangeOwnPassword } from './schema.ts'

export type OwnPasswordNeeds = SignInParts & Pick<HttpLayer, 'config' | 'contextOf' | 'makeChange'>

/**
 * Changes the password of the person who calls, for the API and the page. Their session goes on, all others end.
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
      // Nothing of a dry run is kept, so nothing need be hashed.
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
 * Has the person who calls prove again who they are. Answers the hash that the password fits, so that the change itself
 * can see that nobody has set another one since.
 *
 * @throws AppError `current_password_wrong`, `too_many_attempts`, `overloaded`
 */
export async function confirm(needs: OwnPasswordNeeds, request: FastifyRequest, password: string): Promise<string> {
  const { actor, now, id } = request
  // A user who was deleted a moment ago has no password that could be wrong.
  await users.get(needs.contextOf(request), personOf(request).user_id)
  return verifyOwnPassword(needs, { actor, password }, { now, requestId: id })
}

function refuseUnfit({ config }: OwnPasswordNeeds, request: FastifyRequest, passwords: ChangeOwnPassword): void {
  const words = wordsOf(personOf(request), config.productName)
  const fault = passwordFault(passwords.new_password, { words }) ?? sameFault(passwords)
  if (fault) throw validationFailed([memberFault('new_password', fault.code, fault.detail)])
}

/** Said whether or not the current one is right: it compares what was sent and nothing else. */
function sameFault({ current_password, new_password }: ChangeOwnPassword) {
  if (normalizePassword(current_password) !== normalizePassword(new_password)) return undefined
  return { code: 'same_as_before', detail: 'The new password is the same as the current one. Choose another one.' }
}
