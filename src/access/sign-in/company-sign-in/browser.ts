/** Signs in the browser that a connection vouches for: its visit goes in, its cookies come out. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { challengeSeconds } from '../../credentials/challenges/service.ts'
import { type BrowserSignInNeeds, deviceOf, newDevice, sessionBefore } from '../sign-in/service.ts'
import { deviceSeconds, readDevices, withDevice } from '../throttling/service.ts'
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
  { config, cookies, secrets }: CompanyBrowserNeeds,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { finished, token, challenge, connection_id }: Entered,
): void {
  if (finished.outcome === 'linked') return
  if (finished.outcome === 'next') {
    reply.header('set-cookie', cookies.challenge.set(challenge, challengeSeconds))
    return
  }
  const { user_id } = finished.session
  const cookie = cookies.device.read(request)
  const visit = { address: '', userAgent: '', device: cookie }
  const device = deviceOf({ secrets }, visit, { user_id }, request.now) ?? newDevice(user_id)
  reply.header('set-cookie', [
    cookies.set(token, config.sessionSeconds),
    cookies.device.set(withDevice(secrets.device, cookie, device, request.now), deviceSeconds),
    cookies.lastConnection.set(connection_id, rememberedSeconds),
    ...(cookies.own.read(request) === undefined ? [] : [cookies.own.clear()]),
  ])
}
