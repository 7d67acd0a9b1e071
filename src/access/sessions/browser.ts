/** Signing in from the browser, or script, that sends the request: for the API and the page. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app/app.ts'
import { AppError } from '../../core/errors.ts'
import { deviceSeconds } from '../sign-in/device.ts'
import { type SignedInNow, signIn } from '../sign-in/sign-in.ts'
import type { CreateSession } from './schema.ts'

/**
 * Begins a session and puts its cookies on the answer. The session that this browser had before ends.
 *
 * @throws AppError `sign_in_failed`, `too_many_attempts`, `overloaded`, `draining`
 */
export async function signInBrowser(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  { username, password }: CreateSession,
): Promise<Omit<SignedInNow, 'token'>> {
  const { config, cookies, counts, originOf, lifecycle } = app
  if (lifecycle.stage === 'draining')
    throw new AppError('draining', 'The service is stopping. Repeat the request; another instance responds.')
  const { address, user_agent: userAgent } = originOf(request)
  const browser = {
    address,
    userAgent,
    device: cookies.device.read(request),
    replaces: await sessionBefore(app, request),
  }
  const { now, id: requestId } = request
  const { token, ...signedIn } = await counts.signIn(
    signIn(app, { username, password, ...browser }, { now, requestId }),
  )
  reply.header('set-cookie', [
    cookies.set(token, config.sessionSeconds),
    cookies.device.set(signedIn.device, deviceSeconds),
  ])
  return signedIn
}

/** Or another site could sign its visitors in as somebody else, and look at what they then do. Scripts say nothing. */
export function refuseOtherSites({ refuseCrossOrigin }: App, request: FastifyRequest): void {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (origin !== undefined || site !== undefined) refuseCrossOrigin(request)
}

/** The session that the browser had until now: it ends when another begins. */
export async function sessionBefore({ cookies, lookUp }: App, request: FastifyRequest): Promise<string | undefined> {
  const token = cookies.read(request)
  const found = token === undefined ? undefined : await lookUp(token, request.now)
  return found?.kind === 'session' ? found.actor.signedIn?.session_id : undefined
}
