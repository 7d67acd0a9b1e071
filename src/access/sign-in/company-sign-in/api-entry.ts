/** A password that a connection checks, sent to `POST /sessions`. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import { refuseWhileDraining } from '../../../http/server/lifecycle.ts'
import type { Reason } from '../../providers/connections/service.ts'
import { type CompanyBrowserNeeds, setCookies, visitOf } from './browser.ts'
import type { Confirmed } from './directory-password.ts'
import { confirmWithPassword, enterWithPassword } from './password-entry.ts'
import { refusalStatuses, SignInRefused } from './refused.ts'

type Given = { connection_id: string; username: string; password: string }

/** @throws AppError `sign_in_failed`, `too_many_attempts`, `connection_not_found`, `connection_refused`, `connection_conflict`, `provider_unavailable` */
export function companyEntry(needs: CompanyBrowserNeeds) {
  return async (request: FastifyRequest, reply: FastifyReply, input: Given) => {
    refuseWhileDraining(needs.lifecycle)
    const seen = await visitOf(needs, request)
    const entering = { ...input, ...seen, purpose: 'sign_in' as const, returnTo: undefined, user_id: undefined }
    const when = { now: request.now, requestId: request.id }
    try {
      const entered = await needs.countSignIn(enterWithPassword(needs, entering, when))
      setCookies(needs, { request, reply }, entered)
      const { finished, options } = entered
      if (finished.outcome === 'next') {
        const { challenge_id, expires_at, methods } = finished
        return { next: { challenge_id, expires_at, methods, ...(options && { options }) } }
      }
      if (finished.outcome === 'signed_in') return { session: finished.session }
      throw new Error('A sign-in linked an account.')
    } catch (error) {
      if (!(error instanceof SignInRefused)) throw error
      const refusal = refusalOf(error)
      // The failure of the connection is on record.
      needs.recorder.skip(refusal)
      throw refusal
    }
  }
}

/**
 * A password of a directory, sent to `POST /sessions/current/reauthentication`.
 *
 * @throws AppError `confirmation_failed`, `too_many_attempts`, `connection_not_found`, `connection_refused`, `connection_conflict`,
 *   `provider_unavailable`
 */
export function companyConfirmation(needs: CompanyBrowserNeeds) {
  return async (request: FastifyRequest, input: Given, user_id: string): Promise<Confirmed> => {
    refuseWhileDraining(needs.lifecycle)
    const { visit } = await visitOf(needs, request)
    try {
      return await confirmWithPassword(needs, { ...input, visit, user_id }, { now: request.now, requestId: request.id })
    } catch (error) {
      // Not 401: the session is valid.
      if (error instanceof AppError && error.code === 'sign_in_failed') throw wrongAtCompany()
      if (!(error instanceof SignInRefused)) throw error
      if (error.reason !== 'other_user') throw refusalOf(error)
      throw new AppError('confirmation_failed', 'This account belongs to another user. Confirm with your own.')
    }
  }
}

function wrongAtCompany(): AppError {
  return new AppError('confirmation_failed', 'The username or the password of the company is wrong.')
}

const advice = 'Ask an administrator, who sees why among the failures of the connection.'
const link = 'Sign in in another way and link the account on the page /link, or let an administrator link it.'

/** What the user can do, as on the page. */
const details: Partial<Record<Reason, string>> = {
  user_removed: `The user was deleted. ${advice}`,
  user_inactive: `The user is disabled. ${advice}`,
  user_expired: `The access of the user has ended. ${advice}`,
  not_linked: `No user has this account. ${link}`,
  no_user: `No user has this account. ${advice}`,
  link_required: `A user with the same email address exists, which does not prove that both are the same person. ${link}`,
  name_taken: `A user with the same name exists. ${link}`,
  email_unverified: `The company does not state that the email address is verified. ${link}`,
  address_reassigned: `The email address still belongs to another account of the company. ${advice}`,
  role_not_mapped: `The user with this address has permissions that the company may not give. ${advice}`,
}

function refusalOf({ reason }: SignInRefused): AppError {
  if (reason === 'inactive') return new AppError('connection_not_found', 'There is no such active connection.')
  if (reason === 'provider_unreachable') {
    return new AppError('provider_unavailable', 'The directory does not respond as it should.')
  }
  if (reason === 'identity_taken') return new AppError('identity_taken', 'Another user has linked this account.')
  const code = refusalStatuses[reason] === 409 ? 'connection_conflict' : 'connection_refused'
  return new AppError(code, details[reason] ?? `The account of the company cannot sign in here. ${advice}`)
}
