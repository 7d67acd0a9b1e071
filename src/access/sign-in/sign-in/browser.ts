/** Signs in the browser or script that sends the request, for the API and the page. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { refuseWhileDraining } from '../../../http/server/lifecycle.ts'
import { challengeSeconds } from '../../credentials/challenges/service.ts'
import { trustSeconds } from '../../credentials/sessions/service.ts'
import { deviceSeconds, withDevice } from '../throttling/service.ts'
import type { Finished } from './finish.ts'
import { deviceOf, newDevice, type SignInParts, type Visit } from './proof.ts'
import {
  type Entering,
  endSignIn,
  type Given,
  methodOf,
  type NextStep,
  type SignedInNow,
  type SignInOutcome,
  signIn,
} from './sign-in.ts'

export type BrowserSignInNeeds = SignInParts &
  Pick<HttpLayer, 'config' | 'cookies' | 'originOf' | 'lifecycle' | 'lookUp'> & {
    /** Counts the outcome of a sign-in and returns its result. */
    countSignIn<T>(signingIn: Promise<T>, step?: string): Promise<T>
  }

/**
 * Takes a step of a sign-in. After the last one it starts a session and sets its cookies on the response; the browser's
 * previous session ends. Before that, it binds the next step to this browser.
 *
 * @throws AppError `sign_in_failed`, `second_factor_failed`, `challenge_expired`, `too_many_attempts`, `overloaded`,
 *   `draining`
 */
export async function signInBrowser(
  needs: BrowserSignInNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
  input: Given,
): Promise<InBrowser> {
  refuseWhileDraining(needs.lifecycle)
  const visit = await visitOf(needs, request)
  const { now, id: requestId } = request
  const outcome = await needs.countSignIn(signIn(needs, { input, visit }, { now, requestId }), methodOf(input))
  return withCookies(needs, request, reply, outcome)
}

export type InBrowser = { signedIn: Omit<SignedInNow, 'token'> } | { next: Omit<NextStep, 'cookie'>; user_id: string }

/**
 * Signs in the user who sets a password with a link, in the commit that `commit` makes.
 *
 * @throws AppError `draining`, and as `commit`
 */
export async function signInByLink(
  needs: BrowserSignInNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
  { user_id, commit }: { user_id: string; commit: (entering: Entering) => Promise<Finished> },
): Promise<InBrowser> {
  refuseWhileDraining(needs.lifecycle)
  const visit = await visitOf(needs, request)
  const { now, id: requestId } = request
  const knownUsers = deviceOf(needs, visit, { user_id }, now) === undefined ? [] : [user_id]
  const outcome = await endSignIn(needs, { visit, knownUsers }, { now, requestId }, commit)
  // Before, it was a link that might have been refused, and no sign-in.
  return withCookies(needs, request, reply, await needs.countSignIn(Promise.resolve(outcome)))
}

async function visitOf(needs: BrowserSignInNeeds, request: FastifyRequest): Promise<Visit> {
  const { cookies, originOf, relyingParty } = needs
  const { address, user_agent: userAgent } = originOf(request)
  return {
    address,
    userAgent,
    origins: relyingParty.originsOf(request),
    device: cookies.device.read(request),
    challenge: cookies.challenge.read(request),
    trust: cookies.trust.read(request),
    replaces: await sessionBefore(needs, request),
  }
}

/** Sets the cookies of a session, or of the next step. */
function withCookies(
  needs: BrowserSignInNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
  outcome: SignInOutcome,
): InBrowser {
  const { config, cookies } = needs
  if ('next' in outcome) {
    const { cookie, ...next } = outcome.next
    reply.header('set-cookie', cookies.challenge.set(cookie, challengeSeconds))
    return { next, user_id: outcome.user_id }
  }
  const { token, ...signedIn } = outcome.signedIn
  const { trust, session } = signedIn
  reply.header('set-cookie', [
    ...sessionCookies(needs, request, { token, user_id: session.user_id }),
    ...(trust === undefined ? [] : [cookies.trust.set(trust, trustSeconds(config.trustBrowserDays))]),
  ])
  return { signedIn }
}

/** The cookies of a browser in which a user has just signed in, in any way. */
export function sessionCookies(
  { config, cookies, secrets }: Pick<HttpLayer, 'config' | 'cookies'> & Pick<SignInParts, 'secrets'>,
  request: FastifyRequest,
  { token, user_id }: { token: string; user_id: string },
): string[] {
  const { now } = request
  const earlier = cookies.device.read(request)
  const device = deviceOf({ secrets }, { device: earlier }, { user_id }, now) ?? newDevice(user_id)
  return [
    cookies.set(token, config.sessionSeconds),
    cookies.device.set(withDevice(secrets.device, earlier, device, now), deviceSeconds),
    ...(cookies.challenge.read(request) === undefined ? [] : [cookies.challenge.clear()]),
    ...(cookies.own.read(request) === undefined ? [] : [cookies.own.clear()]),
  ]
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
