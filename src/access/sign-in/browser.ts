/** Signs in the browser or script that sends the request, for the API and the page. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { refuseWhileDraining } from '../../http/server/lifecycle.ts'
import { deviceSeconds } from './device.ts'
import type { CreateSession } from './schema.ts'
import { type SignedInNow, type SignInParts, signIn } from './sign-in.ts'

export type BrowserSignInNeeds = SignInParts &
  Pick<HttpLayer, 'config' | 'cookies' | 'originOf' | 'lifecycle' | 'lookUp'> & {
    /** Counts the outcome of a sign-in and returns its result. */
    countSignIn<T>(signingIn: Promise<T>): Promise<T>
  }

/**
 * Starts a session and sets its cookies on the response. The browser's previous session ends.
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
  refuseWhileDraining(lifecycle)
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

/** Otherwise another site could sign its visitors in as another user, and watch what they do. Scripts send no origin. */
export function refuseOtherSites(
  { refuseCrossOrigin }: Pick<HttpLayer, 'refuseCrossOrigin'>,
  request: FastifyRequest,
): void {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (origin !== undefined || site !== undefined) refuseCrossOrigin(request)
}

/** The browser's current session, which ends when the new one starts. */
export async function sessionBefore(
  { cookies, lookUp }: Pick<HttpLayer, 'cookies' | 'lookUp'>,
  request: FastifyRequest,
): Promise<string | undefined> {
  const token = cookies.read(request)
  const found = token === undefined ? undefined : await lookUp(token, request.now)
  return found?.kind === 'session' ? found.actor.signedIn?.session_id : undefined
}
