/** The way to a provider and back. Both are GETs, as OAuth requires: a cookie and a row bind them to this browser. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { dutyOf, type SignedIn } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import { limitedBy, scopeOf } from '../../../core/scope.ts'
import { type OpenSetupLink, openSetupLink } from '../../../directory/organizations/service.ts'
import { refuseImpersonation } from '../../../http/endpoint/access.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { refuseStaleSession } from '../../../http/endpoint/recent-authentication.ts'
import { pathId } from '../../../http/request/path-id.ts'
import { refuseWhileDraining } from '../../../http/server/lifecycle.ts'
import { isUuid } from '../../../lib/uuidv7.ts'
import type { Db } from '../../../store/db/db.ts'
import * as connections from '../../providers/connections/service.ts'
import { addressOf, kindOf } from '../../providers/connections/service.ts'
import {
  type CompanyBrowserNeeds,
  type Entered,
  enterFromForm,
  enterWithPassword,
  FinishedBefore,
  pendingSeconds,
  SignInRefused,
  setCookies,
  type Tester,
  TestFinished,
  visitOf,
} from '../../sign-in/company-sign-in/service.ts'
import { chosenLanguage } from '../page-texts/service.ts'
import { signInFault } from './faults.ts'
import { formOf, hidden, isHalf, type PageTools, queryOf } from './tools.ts'
import { passwordPage, postAgainPage, refusedPage, testedPage } from './views/company-pages.ts'
import { secondStepPage } from './views/factor-pages.ts'
import { withReturnTo } from './views/pages.ts'

/** A SAML response of 256 KiB, in base64 and percent-encoded. */
const formLimit = 600_000

export type CompanyNeeds = CompanyBrowserNeeds & Pick<HttpLayer, 'links'>

type StartOfSignIn = { connection_id: string; purpose: Purpose; user_id?: string; tester?: Tester | undefined }

/** These are GET requests, and yet they sign in, confirm or link. */
const changing = { duringImpersonation: false }

/** Programs that only look at an address must not use it up, or start something. @throws AppError `method_not_allowed` */
function refuseHead({ method }: FastifyRequest): void {
  if (method !== 'HEAD') return
  const detail = 'This address starts a sign-in, so it does not support HEAD. Use GET.'
  throw new AppError('method_not_allowed', detail, { headers: { allow: 'GET' } })
}

/** Sends the browser to the provider, from `/login?connection=…`. */
export async function startCompanySignIn(
  needs: CompanyNeeds,
  tools: PageTools,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { connection_id, purpose, user_id, tester }: StartOfSignIn,
): Promise<FastifyReply> {
  const { companySignIn, cookies, links, lifecycle, originOf } = needs
  refuseWhileDraining(lifecycle)
  refuseHead(request)
  refuseImpersonation(request.actor, changing, request.method)
  const { login_hint } = queryOf(request)
  const button = await buttonOf(needs, connection_id.toLowerCase(), tester)
  if (button?.way === 'password') {
    const username = typeof login_hint === 'string' ? login_hint.slice(0, 254) : ''
    const prompt = { connection: button, username, purpose, returnTo: tools.placeIn(queryOf(request)) }
    return tools.send(reply.header('cache-control', 'no-store'), passwordPage(await tools.frameOf(request), prompt))
  }
  try {
    const { departure, cookie } = await companySignIn.start(
      {
        connection_id,
        returnTo: tools.placeIn(queryOf(request)),
        address: addressOf(links, connection_id.toLowerCase()),
        cookie: cookies.company.read(request),
        clientAddress: originOf(request).address,
        ...(typeof login_hint === 'string' && login_hint.length <= 254 && { loginHint: login_hint }),
        language: chosenLanguage(request, needs),
        purpose,
        ...(user_id !== undefined && { user_id }),
        tester,
      },
      { now: request.now, requestId: request.id },
    )
    return reply
      .header('set-cookie', cookies.company.set(cookie, pendingSeconds))
      .headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
      .redirect(departure.url.href, 303)
  } catch (error) {
    return showRefusal(tools, { request, reply }, error, links.path('/link'))
  }
}

export function companyPages(app: FastifyInstance, needs: CompanyNeeds, tools: PageTools): void {
  const { companySignIn, cookies, links, lifecycle } = needs

  const path = '/connections/:connection_id/callback'
  const noHead = { exposeHeadRoute: false }
  app.get(path, { config: { ...hidden.config, ...changing }, ...noHead }, (request, reply) => comeBack(request, reply))
  // SAML's POST binding. No cookie comes with a form of another site, so our page posts it once more.
  app.post(path, { ...hidden, bodyLimit: formLimit }, async (request, reply) => {
    const { SAMLResponse = '', RelayState = '' } = formOf(request)
    if (cookies.company.read(request) === undefined && request.headers['sec-fetch-site'] !== 'same-origin') {
      const frame = await tools.frameOf(request)
      return tools.send(reply, postAgainPage(frame, { SAMLResponse, RelayState }))
    }
    return comeBack(request, reply, { SAMLResponse, RelayState })
  })

  async function comeBack(request: FastifyRequest, reply: FastifyReply, form?: Record<string, string>) {
    refuseWhileDraining(lifecycle)
    const connection_id = pathId(request, 'connection_id')
    const seen = await visitOf(needs, request)
    const person = await tools.personIn(request)
    try {
      const entered = await needs.countSignIn(
        companySignIn.finish(
          {
            connection_id,
            returned: { query: request.url.split('?')[1] ?? '', ...(form && { form }) },
            address: addressOf(links, connection_id),
            cookie: cookies.company.read(request),
            ...seen,
            user_id: person?.user_id,
            tester: (await setupTesterIn(needs, request, connection_id)) ?? testerIn(request, person),
          },
          { now: request.now, requestId: request.id },
        ),
      )
      return redirectOnward(needs, tools, { request, reply }, entered)
    } catch (error) {
      if (error instanceof FinishedBefore) return leaveAgain(request, reply, error)
      return showRefusal(tools, { request, reply }, error, links.path('/link'), setupIn(request, connection_id))
    }
  }

  /** A test of a setup link may have been interrupted: by another tab, or by the end of the link, which its page explains. */
  function setupIn(request: FastifyRequest, connection_id: string): string | undefined {
    const token = cookies.setup.read(request)
    return token === undefined || !isUuid(connection_id) ? undefined : setupPath(token, connection_id)
  }

  /** As `leave` did before. The sign-in page knows what a user must do first. */
  async function leaveAgain(request: FastifyRequest, reply: FastifyReply, { returnTo }: FinishedBefore) {
    const { up } = await tools.frameOf(request)
    const isHalfway = dutyOf(request.actor) !== undefined
    const place = returnTo === undefined || isHalfway ? withReturnTo(`${up}login`, returnTo) : returnTo
    return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(place, 303)
  }
}

/** Checks a password with a connection, from the page that `passwordPage` shows. */
export async function takeCompanyPassword(
  needs: CompanyNeeds,
  tools: PageTools,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  const { links, lifecycle } = needs
  refuseWhileDraining(lifecycle)
  const fields = formOf(request)
  const { username = '', password = '', connection_id = '' } = fields
  const purpose = purposes.find((one) => one === fields.purpose) ?? 'sign_in'
  const returnTo = tools.placeIn(fields)
  const person = await tools.personIn(request)
  const tester = purpose === 'test' ? testerIn(request, person) : undefined
  const button = await buttonOf(needs, connection_id, tester)
  if (button === undefined) return showRefusal(tools, { request, reply }, new SignInRefused('inactive'))
  if (purpose !== 'sign_in' && (person === undefined || (purpose === 'link' && isHalf(person)))) {
    return reply.redirect(withReturnTo('login', returnTo), 303)
  }
  if (purpose === 'link') refuseStaleSession(request)
  const entering = { connection_id, username, password, purpose, returnTo, user_id: person?.user_id, tester }
  try {
    const when = { now: request.now, requestId: request.id }
    const entered = await needs.countSignIn(
      enterWithPassword(needs, { ...entering, ...(await visitOf(needs, request)) }, when),
    )
    return redirectOnward(needs, tools, { request, reply }, entered)
  } catch (error) {
    const frame = await tools.frameOf(request)
    const fault = signInFault(frame.t, error)
    if (fault !== undefined && error instanceof AppError) {
      const page = passwordPage(frame, { connection: button, username, purpose, returnTo, fault })
      return tools.send(reply.headers(error.headers), page, error.status)
    }
    return showRefusal(tools, { request, reply }, error, links.path('/link'))
  }
}

/** Checks a password of the form on the sign-in page with a directory. @throws SignInRefused; AppError as `enterFromForm` */
export async function enterFromSignInPage(
  needs: CompanyNeeds,
  tools: PageTools,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { directory, ...input }: FromSignInPage,
): Promise<FastifyReply> {
  refuseWhileDraining(needs.lifecycle)
  const entering = {
    ...input,
    ...(await visitOf(needs, request)),
    connection_id: directory.connection_id,
    purpose: 'sign_in' as const,
    user_id: undefined,
  }
  const when = { now: request.now, requestId: request.id }
  return redirectOnward(needs, tools, { request, reply }, await needs.countSignIn(enterFromForm(needs, entering, when)))
}

type FromSignInPage = {
  directory: Pick<connections.Button, 'connection_id'>
  username: string
  password: string
  returnTo: string | undefined
}

const purposes = ['sign_in', 'confirm', 'link', 'test'] as const
type Purpose = (typeof purposes)[number]

/** The user who is signed in here, if they may test connections, those of their organization at least: the result shows users. */
export function testerIn({ actor }: FastifyRequest, person: SignedIn | undefined): Tester | undefined {
  if (person === undefined || isHalf(person)) return undefined
  const { user_id, username } = person
  try {
    const limited = limitedBy(limitedBy(actor, 'connections:write'), 'users:read')
    return { user_id, username, scope: scopeOf(limited) }
  } catch (error) {
    if (error instanceof AppError && error.code === 'permission_denied') return undefined
    throw error
  }
}

/** The holder of a setup link whose test of this connection ends here. The cookie has the token of the link. */
async function setupTesterIn(
  { cookies, storage }: CompanyNeeds,
  request: FastifyRequest,
  connection_id: string,
): Promise<Tester | undefined> {
  const token = cookies.setup.read(request)
  if (token === undefined) return undefined
  const link = await openSetupLink({ db: storage.db, now: request.now }, token)
  return 'reason' in link ? undefined : setupTester(storage.db, link, { token, connection_id })
}

function setupPath(token: string, connection_id: string): string {
  return `setup/${encodeURIComponent(token)}/sign-in/${connection_id}`
}

/** Undefined unless the link may test this connection. */
export async function setupTester(
  db: Db,
  { actor, features }: OpenSetupLink,
  { token, connection_id }: { token: string; connection_id: string },
): Promise<Tester | undefined> {
  if (!features.includes('connection') || !isUuid(connection_id)) return undefined
  const found = await connections.findConnection(db, scopeOf(actor), connection_id)
  const { id: user_id, name: username } = actor
  const result = `${setupPath(token, connection_id)}/result`
  return found && { user_id, username, scope: scopeOf(actor), kind: 'setup_link', result }
}

/** A connection through which users sign in, or which is tested before. */
async function buttonOf({ storage }: CompanyNeeds, connectionId: string, tester: Tester | undefined) {
  const active = (await connections.listButtons(storage.db, { connection_ids: [connectionId] })).find(
    (one) => one.connection_id === connectionId,
  )
  if (active !== undefined || tester === undefined || !isUuid(connectionId)) return active
  const found = await connections.findConnection(storage.db, tester.scope, connectionId)
  return found && { connection_id: found.connection_id, name: found.name, way: kindOf(found.kind).way }
}

/** To the product, or to the next step. */
async function redirectOnward(
  needs: CompanyNeeds,
  tools: PageTools,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  entered: Entered,
): Promise<FastifyReply> {
  const { finished, options, returnTo } = entered
  const { up } = await tools.frameOf(request)
  reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  setCookies(needs, { request, reply }, entered)
  if (finished.outcome === 'linked') return reply.redirect(returnTo ?? `${up}link?linked`, 303)
  if (finished.outcome === 'next') {
    const { challenge_id, methods, user_id } = finished
    const frame = await tools.frameOf(request, { user_id })
    const passkey = options && JSON.stringify(options)
    const step = { challenge_id, methods, passkey, returnTo, trustDays: 0 }
    return tools.send(reply, secondStepPage(frame, step))
  }
  if (finished.duty !== undefined) return reply.redirect(withReturnTo(`${up}login`, returnTo), 303)
  return reply.redirect(returnTo ?? `${up}login`, 303)
}

export async function showRefusal(
  tools: PageTools,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  error: unknown,
  linkPath?: string,
  setup?: string,
): Promise<FastifyReply> {
  const frame = await tools.frameOf(request)
  if (error instanceof TestFinished) {
    const { result } = error.tester ?? {}
    if (result !== undefined) {
      return reply
        .headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
        .redirect(frame.up + result, 303)
    }
    const failure = { name: error.connection.name, trial: error.trial, requestId: request.id }
    return tools.send(reply.header('cache-control', 'no-store'), testedPage(frame, failure))
  }
  if (error instanceof AppError && error.code === 'connection_not_found') {
    return tools.send(reply, refusedPage(frame, { reason: 'inactive', requestId: request.id, setup }).page, 404)
  }
  if (!(error instanceof SignInRefused)) throw error
  const { reason, connection, returnTo } = error
  const { page, status } = refusedPage(frame, {
    reason,
    connection,
    returnTo,
    requestId: request.id,
    setup,
    ...(linkPath !== undefined && { linkPath }),
  })
  // A provider that failed is not asked again for half a minute.
  if (status === 503) reply.header('retry-after', '30')
  return tools.send(reply.header('cache-control', 'no-store'), page, status)
}
