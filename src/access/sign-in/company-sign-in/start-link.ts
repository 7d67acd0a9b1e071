/** A signed-in user links an account of a connection: the browser goes to the provider, and comes back to the callback. */
import type { FastifyRequest } from 'fastify'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { refuseWhileDraining } from '../../../http/server/lifecycle.ts'
import { addressOf } from '../../providers/connections/service.ts'
import type { CompanySignIn } from './company-sign-in.ts'
import { pendingSeconds } from './redirects.ts'

export type LinkNeeds = Pick<HttpLayer, 'config' | 'cookies' | 'lifecycle' | 'links' | 'originOf'> & {
  companySignIn: CompanySignIn
}
type Linking = {
  connection_id: string
  returnTo: string | undefined
  user_id: string
  /** The language that the user or the product chose. */
  language: string | undefined
}

/** Where to send the browser, and the cookie that only this browser may come back with. @throws SignInRefused */
export async function startLink(
  { companySignIn, cookies, lifecycle, links, originOf }: LinkNeeds,
  request: FastifyRequest,
  { connection_id, returnTo: place, user_id, language }: Linking,
): Promise<{ url: URL; cookie: string }> {
  refuseWhileDraining(lifecycle)
  const id = connection_id.toLowerCase()
  const starting = {
    connection_id: id,
    returnTo: place,
    address: addressOf(links, id),
    purpose: 'link' as const,
    user_id,
    cookie: cookies.company.read(request),
    clientAddress: originOf(request).address,
    language,
  }
  const when = { now: request.now, requestId: request.id }
  const { departure, cookie } = await companySignIn.start(starting, when)
  return { url: departure.url, cookie: cookies.company.set(cookie, pendingSeconds) }
}
