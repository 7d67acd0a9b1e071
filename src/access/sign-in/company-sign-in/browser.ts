/** Signs in the browser that a connection vouches for: its visit goes in, its cookies come out. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { challengeSeconds } from '../../credentials/challenges/service.ts'
import { type BrowserSignInNeeds, sessionBefore, sessionCookies } from '../sign-in/service.ts'
import { readDevices } from '../throttling/service.ts'
import type { CompanySignIn } from './company-sign-in.ts'
import type { Entered } from './judge.ts'

export type CompanyBrowserNeeds = BrowserSignInNeeds & { companySignIn: CompanySignIn }

/** For a year the button of this connection comes first. */
const rememberedSeconds = 31_536_000

export async function visitOf(needs: CompanyBrowserNeeds, request: FastifyRequest) {
  const { cookies, originOf, secrets } = needs
  const { address, user_agent: userAgent } = originOf(request)
  const device = cookies.device.read(request)
  return {
    visit: { address, userAgent, device, replaces: await sessionBefore(needs, request) },
    knownUsers: readDevices(secrets.device, device, request.now).map(({ user_id }) => user_id),
  }
}

/** Sets the cookies of what comes next: of the session, or of the second step. */
export function setCookies(
  needs: CompanyBrowserNeeds,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { finished, token, challenge, connection_id }: Entered,
): void {
  const { cookies } = needs
  if (finished.outcome === 'linked') return
  const remembered = cookies.lastConnection.set(connection_id, rememberedSeconds)
  if (finished.outcome === 'next') {
    reply.header('set-cookie', [cookies.challenge.set(challenge, challengeSeconds), remembered])
    return
  }
  reply.header('set-cookie', [
    ...sessionCookies(needs, request, { token, user_id: finished.session.user_id }),
    remembered,
  ])
}
