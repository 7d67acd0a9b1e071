/** The way to a provider and back. Both are GETs, as OAuth requires: a cookie and a row bind them to this browser. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { refuseWhileDraining } from '../../http/server/lifecycle.ts'
import { challengeSeconds } from '../challenges/service.ts'
import { type CompanySignIn, type Entered, pendingSeconds, SignInRefused } from '../company-sign-in/service.ts'
import { addressOf } from '../connections/routes.ts'
import { type BrowserSignInNeeds, sessionBefore } from '../sign-in/browser.ts'
import { deviceSeconds, readDevices, withDevice } from '../sign-in/device.ts'
import { deviceOf, newDevice } from '../sign-in/proof.ts'
import { postAgainPage, refusedPage } from './company-pages.ts'
import { withReturnTo } from './pages.ts'
import { secondStepPage } from './pages-factors.ts'
import { formOf, hidden, type PageTools, queryOf } from './tools.ts'

/** A SAML response of 256 KiB, in base64 and percent-encoded. */
const formLimit = 600_000

export type CompanyNeeds = BrowserSignInNeeds & Pick<HttpLayer, 'links'> & { companySignIn: CompanySignIn }

/** Sends the browser to the provider, from `/login?connection=…`. */
export async function startCompanySignIn(
  needs: CompanyNeeds,
  tools: PageTools,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { connection_id, purpose, user_id }: { connection_id: string; purpose: 'sign_in' | 'confirm'; user_id?: string },
): Promise<FastifyReply> {
  const { companySignIn, cookies, links, lifecycle } = needs
  refuseWhileDraining(lifecycle)
  const { login_hint } = queryOf(request)
  try {
    const { departure, cookie } = await companySignIn.start(
      {
        connection_id,
        returnTo: tools.placeIn(queryOf(request)),
        address: addressOf(links, connection_id.toLowerCase()),
        cookie: cookies.company.read(request),
        ...(typeof login_hint === 'string' && login_hint.length <= 254 && { loginHint: login_hint }),
        purpose,
        ...(user_id !== undefined && { user_id }),
      },
      { now: request.now, requestId: request.id },
    )
    return reply
      .header('set-cookie', cookies.company.set(cookie, pendingSeconds))
      .headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
      .redirect(departure.url.href, 303)
  } catch (error) {
    return showRefusal(tools, { request, reply }, error, { up: '', linkPath: links.path('/link') })
  }
}

export function companyPages(app: FastifyInstance, needs: CompanyNeeds, tools: PageTools): void {
  const { companySignIn, config, cookies, links, lifecycle, originOf, secrets } = needs

  const path = '/connections/:connection_id/callback'
  app.get(path, hidden, (request, reply) => comeBack(request, reply))
  // SAML's POST binding. No cookie comes with a form of another site, so our page posts it once more.
  app.post(path, { ...hidden, bodyLimit: formLimit }, (request, reply) => {
    const { SAMLResponse = '', RelayState = '' } = formOf(request)
    if (cookies.company.read(request) === undefined && request.headers['sec-fetch-site'] !== 'same-origin') {
      const frame = frameBelow(tools, request)
      return tools.send(reply, postAgainPage(frame, { SAMLResponse, RelayState }))
    }
    return comeBack(request, reply, { SAMLResponse, RelayState })
  })

  async function comeBack(request: FastifyRequest, reply: FastifyReply, form?: Record<string, string>) {
    refuseWhileDraining(lifecycle)
    const connection_id = (request.params as { connection_id: string }).connection_id.toLowerCase()
    const { address, user_agent: userAgent } = originOf(request)
    const replaces = await sessionBefore(needs, request)
    const visit = { address, userAgent, device: cookies.device.read(request), replaces }
    const person = await tools.personIn(request)
    try {
      const entered = await needs.countSignIn(
        companySignIn.finish(
          {
            connection_id,
            returned: { query: request.url.split('?')[1] ?? '', ...(form && { form }) },
            address: addressOf(links, connection_id),
            cookie: cookies.company.read(request),
            visit,
            knownUsers: readDevices(secrets.device, visit.device, request.now).map(({ user_id }) => user_id),
            user_id: person?.user_id,
          },
          { now: request.now, requestId: request.id },
        ),
      )
      return leave(request, reply, entered)
    } catch (error) {
      return showRefusal(tools, { request, reply }, error, { up: '../../', linkPath: links.path('/link') })
    }
  }

  /** To the product, or to the next step. */
  function leave(request: FastifyRequest, reply: FastifyReply, { finished, returnTo, token, challenge }: Entered) {
    const up = '../../'
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    if (finished.outcome === 'linked') return reply.redirect(returnTo ?? `${up}link?linked`, 303)
    if (finished.outcome === 'next') {
      reply.header('set-cookie', cookies.challenge.set(challenge, challengeSeconds))
      const { challenge_id, methods } = finished
      return tools.send(
        reply,
        secondStepPage(frameBelow(tools, request), {
          challenge_id,
          methods,
          passkey: undefined,
          returnTo,
          trustDays: 0,
        }),
      )
    }
    const { user_id } = finished.session
    const cookie = cookies.device.read(request)
    const visit = { address: '', userAgent: '', device: cookie }
    const device = deviceOf({ secrets }, visit, { user_id }, request.now) ?? newDevice(user_id)
    reply.header('set-cookie', [
      cookies.set(token, config.sessionSeconds),
      cookies.device.set(withDevice(secrets.device, cookie, device, request.now), deviceSeconds),
      cookies.company.clear(),
    ])
    if (finished.must_add_factor) return reply.redirect(withReturnTo(`${up}login`, returnTo), 303)
    return reply.redirect(returnTo ?? `${up}login`, 303)
  }
}

/** The callback lies two folders below the other pages. */
function frameBelow({ frameOf }: PageTools, request: FastifyRequest) {
  const { productName, assets } = frameOf(request)
  return { productName, up: '../../', assets: `../../${assets}` }
}

function showRefusal(
  tools: PageTools,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  error: unknown,
  { up, linkPath }: { up: '' | '../../'; linkPath: string },
): FastifyReply {
  const frame = up === '' ? tools.frameOf(request) : frameBelow(tools, request)
  if (error instanceof AppError && error.code === 'connection_not_found') {
    return tools.send(reply, refusedPage(frame, { reason: 'inactive', requestId: request.id }).page, 404)
  }
  if (!(error instanceof SignInRefused)) throw error
  const { reason, connection, returnTo } = error
  const { page, status } = refusedPage(frame, { reason, connection, returnTo, requestId: request.id, linkPath })
  return tools.send(reply.header('cache-control', 'no-store'), page, status)
}
