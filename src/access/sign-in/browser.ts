/** Signing in from the browser, or script, that sends the request: for the API and the page. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { deviceSeconds } from './device.ts'
import type { CreateSession } from './schema.ts'
import { type SignedInNow, type SignInParts, signIn } from './sign-in.ts'

export type BrowserSignInNeeds = SignInParts &
  Pick<HttpLayer, 'config' | 'cookies' | 'originOf' | 'lifecycle' | 'lookUp'> & {
    /** Counts how a sign-in ends, and returns its result. */
    countSignIn<T>(signingIn: Promise<T>): Promise<T>
  }

/**
 * Begins a session and puts its cookies on the answer. The session that this browser had before ends.
 *
 * @throws AppError `sign_in_failed`, `too_many_attempts`, `overloaded`, `draining`
 */
export async function signInBrowser(
  needs: BrowserSignInNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
  { username, password }: CreateSession,
): Promise<Omit<SignedInNow, 'token'>> {
  const { config, cookies, countSignIn, originOf, lifecycle } = needs
  if (lifecycle.stage === 'draining')
    throw new AppError('draining', 'The service is stopping. Repeat the request; another instance responds.')
  const { address, user_agent: userAgent } = originOf(request)
  const browser = {
    address,
    userAgent,
    device: cookies.device.read(request),
    replaces: await sessionBefore(needs, request),
  }
  const { now, id: requestId } = request
  const { token, ...signedIn } = await countSignIn(
    signIn(needs, { username, password, ...browser }, { now, requestId }),
  )
  reply.header('set-cookie', [
    cookies.set(token, config.sessionSeconds),
    cookies.device.set(signedIn.device, deviceSeconds),
  ])
  return signedIn
}

/** Or another site could sign its visitors in as somebody else, and look at what they then do. Scripts say nothing. */
export function refuseOtherSites(
  { refuseCrossOrigin }: Pick<HttpLayer, 'refuseCrossOrigin'>,
  request: FastifyRequest,
): void {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (origin !== undefined || site !== undefined) refuseCrossOrigin(request)
}

/** The session that the browser had until now: it ends when another begins. */
export async function sessionBefore(
  { cookies, lookUp }: Pick<HttpLayer, 'cookies' | 'lookUp'>,
  request: FastifyRequest,
): Promise<string | undefined> {
  const token = cookies.read(request)
  const found = token === undefined ? undefined : await lookUp(token, request.now)
  return found?.kind === 'session' ? found.actor.signedIn?.session_id : undefined
}
