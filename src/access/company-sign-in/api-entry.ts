/** A password that a connection checks, sent to `POST /sessions`. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import { refuseWhileDraining } from '../../http/server/lifecycle.ts'
import { type CompanyBrowserNeeds, setCookies, visitOf } from './browser.ts'
import { confirmWithPassword, enterWithPassword } from './password-entry.ts'
import { SignInRefused } from './refused.ts'
import type { Confirmed } from './service.ts'

type Given = { connection_id: string; username: string; password: string }

/** @throws AppError `sign_in_failed`, `too_many_attempts`, `connection_not_found`, `connection_refused`, `provider_unavailable` */
export function companyEntry(needs: CompanyBrowserNeeds) {
  return async (request: FastifyRequest, reply: FastifyReply, given: Given) => {
    refuseWhileDraining(needs.lifecycle)
    const seen = await visitOf(needs, request)
    const entering = { ...given, ...seen, purpose: 'sign_in' as const, returnTo: undefined, user_id: undefined }
    const when = { now: request.now, requestId: request.id }
    try {
      const entered = await needs.countSignIn(enterWithPassword(needs, entering, when))
      setCookies(needs, { request, reply }, entered)
      const { finished } = entered
      if (finished.outcome === 'next') return { next: finished }
      if (finished.outcome === 'signed_in') return { session: finished.session }
      throw new Error('A sign-in linked an account.')
    } catch (error) {
      throw error instanceof SignInRefused ? refusalOf(error) : error
    }
  }
}

/**
 * A password of a directory, sent to `POST /sessions/current/reauthentication`.
 *
 * @throws AppError `confirmation_failed`, `too_many_attempts`, `connection_not_found`, `connection_refused`, `provider_unavailable`
 */
export function companyConfirmation(needs: CompanyBrowserNeeds) {
  return async (request: FastifyRequest, given: Given, user_id: string): Promise<Confirmed> => {
    refuseWhileDraining(needs.lifecycle)
    const { visit } = await visitOf(needs, request)
    try {
      return await confirmWithPassword(needs, { ...given, visit, user_id }, { now: request.now, requestId: request.id })
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

function refusalOf({ reason }: SignInRefused): AppError {
  if (reason === 'inactive') return new AppError('connection_not_found', 'There is no such active connection.')
  if (reason === 'provider_unreachable') {
    return new AppError('provider_unavailable', 'The directory does not respond as it should.')
  }
  return new AppError('connection_refused', 'The account of the company cannot sign in here. Ask an administrator why.')
}
