/**
 * Recent authentication: what a stolen or unattended session must not be able to do. A route declares it next to `access`;
 * API keys and services are exempt, because no person is present to confirm.
 */
import type { FastifyRequest } from 'fastify'
import type { Actor } from '../../core/actor.ts'
import { AppError, type ProblemCode } from '../../core/errors.ts'
import type { acrOf } from '../../lib/amr.ts'

/** Always, or for requests for which this returns true. */
export type Recent = true | ((request: FastifyRequest) => boolean | Promise<boolean>)

export const recentSeconds = 600
export const recentProblems: readonly ProblemCode[] = ['reauthentication_required', 'insufficient_user_authentication']

/** @throws AppError `reauthentication_required`; with an access token `insufficient_user_authentication` */
export async function refuseStale(request: FastifyRequest, recent: Recent): Promise<void> {
  const { actor, now } = request
  if (actor.signedIn === undefined || isRecent(actor.signedIn, now)) return
  if (recent !== true && !(await recent(request))) return
  throw request.credential?.kind === 'session' ? confirmFirst() : insufficient({ maxAge: recentSeconds })
}

/** For a session that a form of ours uses, outside of the API. @throws AppError `reauthentication_required` */
export function refuseStaleSession({ actor, now }: { actor: Actor; now: number }): void {
  if (actor.signedIn !== undefined && !isRecent(actor.signedIn, now)) throw confirmFirst()
}

export function isRecent({ authTimeMs }: { authTimeMs: number }, now: number): boolean {
  return now - authTimeMs <= recentSeconds * 1000
}

function confirmFirst(): AppError {
  const detail = 'Confirm that it is you, then repeat the request: POST /sessions/current/reauthentication.'
  return new AppError('reauthentication_required', detail)
}

/** Whether that error asks for a second factor, and not only for a recent authentication. */
export function asksForSecondFactor({ headers }: AppError): boolean {
  return /\bacr_values="aal2"/.test(String(headers['www-authenticate']))
}

type Wanted = { maxAge?: number | undefined; acr?: ReturnType<typeof acrOf> | undefined }

/** The challenge for a client with an access token (RFC 9470 §3). */
export function insufficient({ maxAge, acr }: Wanted): AppError {
  const wanted = [
    ...(acr === undefined ? [] : [`acr_values="${acr}"`]),
    ...(maxAge === undefined ? [] : [`max_age="${maxAge}"`]),
  ]
  const detail =
    'The user must be authenticated again, or with a second factor. Let them sign in, and get another token.'
  return new AppError('insufficient_user_authentication', detail, {
    headers: {
      'www-authenticate': ['Bearer realm="rollbook", error="insufficient_user_authentication"', ...wanted].join(', '),
    },
  })
}
