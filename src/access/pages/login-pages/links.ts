/**
 * The pages behind links in messages, and the one that requests a link. A GET changes nothing, because mail scanners open
 * every link; and a link does nothing without typed input or a session, because some press buttons as well.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { system } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import * as links from '../../../directory/links/service.ts'
import type { Hasher } from '../../../directory/passwords/service.ts'
import * as users from '../../../directory/users/service.ts'
import { passwordHashFor } from '../../../directory/users/service.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { timestamp } from '../../../lib/instant.ts'
import { linkPaths, tokenHashOf, wasQueued } from '../../../record/mails/service.ts'
import { hasFactor, type RelyingParty, secondFactorFailed } from '../../credentials/factors/service.ts'
import { type LinkNeeds, requestReset, typedMethodsOf } from '../../sign-in/links/service.ts'
import {
  type BrowserSignInNeeds,
  checkCode,
  type Entering,
  type Finished,
  type InBrowser,
  refuseOtherSites,
  signInByLink,
} from '../../sign-in/sign-in/service.ts'
import { type Attempt, linkAttempt, refuseEarly } from '../../sign-in/throttling/service.ts'
import { busyFault, busyRefusal, noCode, passwordFault } from './faults.ts'
import { afterRecoveryCode } from './recovery-codes.ts'
import { codeIn, form, formOf, hidden, type PageTools } from './tools.ts'
import { secondStepPage } from './views/factor-pages.ts'
import * as pages from './views/link-pages.ts'
import type { Frame, Page } from './views/pages.ts'

export type LinkPageNeeds = LinkNeeds &
  BrowserSignInNeeds &
  Pick<HttpLayer, 'cookies' | 'refuseCrossOrigin'> & { hasher: Hasher; relyingParty: RelyingParty }

export function linkPages(app: FastifyInstance, needs: LinkPageNeeds, tools: PageTools): void {
  forgotPasswordPages(app, needs, tools)
  for (const purpose of ['invitation', 'password_reset'] as const) passwordPages(app, needs, tools, purpose)
  addressPages(app, needs, tools)
}

function forgotPasswordPages(app: FastifyInstance, needs: LinkPageNeeds, { frameOf, send }: PageTools): void {
  const hasMail = needs.config.smtpUrl !== undefined
  app.get('/forgot-password', hidden, async (request, reply) => {
    const frame = await frameOf(request)
    return send(reply, hasMail ? pages.forgotPasswordPage(frame) : pages.withoutMailPage(frame))
  })

  app.post('/forgot-password', form, async (request, reply) => {
    needs.refuseCrossOrigin(request)
    const frame = await frameOf(request)
    if (!hasMail) return send(reply, pages.withoutMailPage(frame))
    const { username = '' } = formOf(request)
    if (username === '' || username.length > 512) {
      const fault = { title: frame.t.page.missing, detail: frame.t.links.forgotMissing, at: 'username' }
      return send(reply, pages.forgotPasswordPage(frame, { fault }), 422)
    }
    try {
      await requestReset(needs, request, reply, username)
    } catch (error) {
      const { refusal, fault } = busyRefusal(frame.t, error)
      return send(reply.headers(refusal.headers), pages.forgotPasswordPage(frame, { username, fault }), refusal.status)
    }
    return send(reply, pages.messageSentPage(frame))
  })
}

type Live = { frame: Frame; link: links.LinkRow; found: users.UserRow }
type Dead = { page: Page; status: number }

/** The link of a page with its user, or the page that explains why it does not work; in the language of its message. */
async function openLink(
  { storage, config }: LinkPageNeeds,
  { frameOf }: PageTools,
  request: FastifyRequest,
  purpose: links.Purpose,
): Promise<Live | Dead> {
  const { db } = storage
  const { now, id: requestId } = request
  const common = { purpose, hasMail: config.smtpUrl !== undefined, now, requestId }
  const link = await links.find(db, tokenHashOf(tokenOf(request)))
  if (link?.purpose !== purpose) {
    const unknown = { ...common, link: undefined, newer: undefined, isClosed: false }
    return { page: pages.deadLinkPage(await frameOf(request), unknown), status: 404 }
  }
  const found = await users.findById(db, scopeOf(system), link.user_id)
  const frame = await frameOf(request, found)
  const isLive = link.ended_at === null && link.expires_at > timestamp(now)
  const isBarred = found === undefined || !users.hasAccess(found, { now, rules: storage.rules })
  if (isLive && !isBarred) return { frame, link, found }
  const newest = link.ended_reason === 'replaced' ? await links.findNewestLink(db, link.user_id, purpose) : undefined
  const newer = newest && { created_at: newest.created_at, wasSent: await wasQueued(db, newest.link_id) }
  // A link that ended for another reason does not reveal that its user is disabled.
  const isClosed = (link.ended_reason === 'disabled' || link.ended_reason === 'deleted') && isBarred
  return { page: pages.deadLinkPage(frame, { ...common, link, newer, isClosed }), status: 410 }
}

/**
 * Whether the browser says which page sends the form. Over plain HTTP, browsers leave out `Sec-Fetch-Site` (and Safari before
 * 16.4 always does), and our page's own `Referrer-Policy` makes `Origin` null: the form then sets the password, as without a
 * browser, but does not sign the user in.
 */
function saysOrigin({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-site'] !== undefined || headers.origin !== 'null'
}

function tokenOf({ params }: FastifyRequest): string {
  return (params as { token: string }).token
}

/** Keeps the page's URL from other sites and caches. */
export function privately(reply: FastifyReply, { headers }: PageTools, page: Page, status = 200): FastifyReply {
  const secret = { 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' }
  return reply
    .code(status)
    .headers({ ...headers(page), ...secret })
    .type('text/html; charset=utf-8')
    .send(page.html)
}

function passwordPages(
  app: FastifyInstance,
  needs: LinkPageNeeds,
  tools: PageTools,
  purpose: 'invitation' | 'password_reset',
): void {
  const { config } = needs
  const path = `${linkPaths[purpose]}/:token`

  app.get(path, hidden, async (request, reply) => {
    const open = await openLink(needs, tools, request, purpose)
    if ('page' in open) return privately(reply, tools, open.page, open.status)
    const { frame, found } = open
    const { username, user_id } = found
    const methods = await methodsFor(needs, purpose, user_id)
    const mayUsePasskey = await allowsPasskey(needs, found)
    const page = pages.choosePasswordPage(frame, { purpose, username, methods, faults: {}, mayUsePasskey })
    return privately(reply, tools, page)
  })

  app.post(path, form, async (request, reply) => {
    // Another site must not sign its visitors in with a link of its own.
    if (saysOrigin(request)) refuseOtherSites(needs, request)
    // Before the password is hashed: a stranger without a link must not make this node work.
    const open = await openLink(needs, tools, request, purpose)
    if ('page' in open) return privately(reply, tools, open.page, open.status)
    const { frame, found } = open
    const { username, user_id } = found
    const methods = await methodsFor(needs, purpose, user_id)
    const mayUsePasskey = await allowsPasskey(needs, found)
    let outcome: InBrowser | undefined
    const show = (faults: pages.ChooseFaults, status: number) =>
      privately(
        reply,
        tools,
        pages.choosePasswordPage(frame, { purpose, username, methods, faults, mayUsePasskey }),
        status,
      )
    const texts = frame.t.links
    const { new_password = '', new_password_again = new_password } = formOf(request)
    if (new_password !== new_password_again) return show({ repeated: texts.notSame }, 422)
    const code = methods.length > 0 ? codeIn(formOf(request)) : undefined
    if (methods.length > 0 && code === undefined) return show({ code: noCode(frame.t, methods) }, 422)
    try {
      const password = { purpose, password: new_password, ...(code && { code }) }
      outcome = await setPassword(needs, { request, reply }, open, password)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (error.code === 'link_ended') return again(request, reply)
      reply.headers(error.headers)
      if (error.code === 'second_factor_failed') {
        const at = code && 'recovery_code' in code ? 'recovery-code' : 'code'
        return show({ code: { title: texts.failed, detail: texts.codeWrong, at } }, error.status)
      }
      if (error.code === 'password_refused') {
        return show({ message: texts.needNoPassword }, error.status)
      }
      const [fault] = error.code === 'validation_failed' ? (error.errors ?? []) : []
      const message = busyFault(frame.t, error)
      if (fault !== undefined) return show({ chosen: passwordFault(frame.t, fault) }, error.status)
      if (message === undefined) throw error
      return show({ message }, error.status)
    }
    if (outcome !== undefined && 'next' in outcome) {
      const { options, ...next } = outcome.next
      const passkey = options && JSON.stringify(options)
      const step = { ...next, passkey, returnTo: undefined, trustDays: config.trustBrowserDays, note: texts.changed }
      return privately(reply, tools, secondStepPage(frame, step))
    }
    const hasSpentCode = code !== undefined && 'recovery_code' in code
    const isSignedIn = outcome !== undefined
    const next =
      isSignedIn && hasSpentCode ? afterRecoveryCode(`${frame.up}recovery-codes`, undefined) : `${frame.up}login`
    return privately(reply, tools, pages.passwordSetPage(frame, { purpose, username, isSignedIn, next }))
  })

  /** Another request was faster. */
  async function again(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const open = await openLink(needs, tools, request, purpose)
    if ('page' in open) return privately(reply, tools, open.page, open.status)
    throw new AppError('link_ended', 'This link no longer works. Request a new one.')
  }
}

/** With a second factor, a link must not add another one: the mailbox would be enough to get past it. */
async function allowsPasskey({ storage, relyingParty }: LinkPageNeeds, { user_id }: users.UserRow): Promise<boolean> {
  return relyingParty.ids.length > 0 && !(await hasFactor(storage.db, user_id))
}

/** An invited user has no second factor yet. */
function methodsFor({ storage }: LinkPageNeeds, purpose: links.Purpose, userId: string): Promise<string[]> {
  return purpose === 'password_reset' ? typedMethodsOf(storage.db, userId) : Promise.resolve([])
}

type Code = NonNullable<ReturnType<typeof codeIn>>
type Chosen = { purpose: 'invitation' | 'password_reset'; password: string; code?: Code }

/** Sets the password, and signs the user in with it. */
async function setPassword(
  needs: LinkPageNeeds,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { link, found }: Live,
  { purpose, password, code }: Chosen,
): Promise<InBrowser | undefined> {
  const { config, storage, hasher, originOf } = needs
  const { now, id: requestId } = request
  const attempt = linkAttempt(found, link.link_id)
  // Before the password is hashed.
  if (code !== undefined) await refuseEarly({ db: storage.db, now }, attempt)
  const passwordCheck = { body: { password }, known: found, productName: config.productName, dryRun: false }
  const { password_hash = '' } = await passwordHashFor(hasher, passwordCheck)
  const byFactor =
    code === undefined ? {} : await checkFactor(needs, request, { user_id: found.user_id, attempt, code })
  const used = { token_hash: tokenHashOf(tokenOf(request)), password_hash, purpose, ...byFactor }
  const by = { actor: system, now, requestId, origin: originOf(request) }
  if (!saysOrigin(request)) {
    await storage.change('links.set_password', used, by)
    return undefined
  }
  const commit = async (entering: Entering) =>
    (await storage.change('links.set_password', { ...used, entering }, by)).result as Finished
  return signInByLink(needs, request, reply, { user_id: found.user_id, commit })
}

/** @throws AppError `second_factor_failed`, `too_many_attempts` */
async function checkFactor(
  { storage, config }: LinkPageNeeds,
  { now, id: requestId }: FastifyRequest,
  { user_id, attempt, code }: { user_id: string; attempt: Attempt; code: Code },
) {
  const { result: reservation } = await storage.change('throttles.reserve', attempt, { actor: system, now, requestId })
  const used = reservation.isShutOut ? undefined : await checkCode({ storage, config }, user_id, code, now)
  if (used === undefined) throw secondFactorFailed()
  return { used, reservation }
}

function addressPages(app: FastifyInstance, needs: LinkPageNeeds, tools: PageTools): void {
  const { cookies, storage, originOf, refuseCrossOrigin } = needs
  const path = `${linkPaths.verification}/:token`

  /** The link, in a browser that asked for it or in which its user is signed in: a scanner that presses the button has neither. */
  async function openOwn(request: FastifyRequest): Promise<Live | Dead> {
    const open = await openLink(needs, tools, request, 'verification')
    if ('page' in open) return open
    const secret = cookies.address.read(request)
    if (secret !== undefined && tokenHashOf(secret) === open.link.browser_hash) return open
    const person = await tools.personIn(request)
    if (person?.user_id === open.link.user_id && !person.must_add_factor) return open
    return { page: pages.signInFirstPage(open.frame), status: 403 }
  }

  app.get(path, hidden, async (request, reply) => {
    const open = await openOwn(request)
    if ('page' in open) return privately(reply, tools, open.page, open.status)
    return privately(reply, tools, pages.confirmAddressPage(open.frame, open.link.email ?? ''))
  })

  app.post(path, form, async (request, reply) => {
    // A site that lures the user here must not confirm an address of its own.
    refuseCrossOrigin(request)
    const open = await openOwn(request)
    if ('page' in open) return privately(reply, tools, open.page, open.status)
    const { now, id: requestId } = request
    const actor = request.actor.id === '' ? system : request.actor
    const { result } = await storage.change(
      'links.confirm_address',
      { token_hash: tokenHashOf(tokenOf(request)), user_id: open.link.user_id },
      { actor, now, requestId, origin: originOf(request) },
    )
    reply.header('set-cookie', cookies.address.clear())
    return privately(reply, tools, pages.addressConfirmedPage(open.frame, result.email ?? ''))
  })
}
