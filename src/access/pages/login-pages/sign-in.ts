import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Duty, dutyOf } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import * as users from '../../../directory/users/service.ts'
import { canUsePassword, domainIn } from '../../../directory/users/service.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { encodeQuery } from '../../../http/request/query.ts'
import * as factors from '../../credentials/factors/service.ts'
import { returnToOwnSession } from '../../credentials/sessions/service.ts'
import { type Button, listButtons } from '../../providers/connections/service.ts'
import { directoryFor, visitOf } from '../../sign-in/company-sign-in/service.ts'
import * as setup from '../../sign-in/setup/service.ts'
import { type BrowserSignInNeeds, signInBrowser } from '../../sign-in/sign-in/service.ts'
import {
  type CompanyNeeds,
  enterFromSignInPage,
  showRefusal,
  startCompanySignIn,
  takeCompanyPassword,
  testerIn,
} from './company.ts'
import { connectionButtons, toProviderPage } from './company-pages.ts'
import { nothingEntered, secondStepFault, signInFault } from './faults.ts'
import { type Frame, signedInPage, signInPage, withReturnTo } from './pages.ts'
import { secondStepPage } from './pages-factors.ts'
import { passkeyOffer } from './passkey-offer.ts'
import { codeIn, formOf, hidden, isHalf, type PageTools, personOf, queryOf } from './tools.ts'

export type SignInNeeds = BrowserSignInNeeds &
  CompanyNeeds &
  Pick<HttpLayer, 'config' | 'links' | 'refuseCrossOrigin' | 'contextOf'>

export function signInPages(app: FastifyInstance, needs: SignInNeeds, tools: PageTools): void {
  const { config, cookies, storage, links, relyingParty, refuseCrossOrigin, contextOf } = needs
  const { frameOf, send, placeIn, personIn } = tools
  const canReset = config.smtpUrl !== undefined
  const trustDays = config.trustBrowserDays
  // Under a prefix, the rest of the origin belongs to the product.
  const productUrl = links.path('') === '' ? config.returnOrigins?.[0] : '/'

  for (const path of ['/login', '/login/']) {
    app.get(path, hidden, async (request, reply) => {
      const frame = await frameOf(request)
      const returnTo = placeIn(queryOf(request))
      const person = await personIn(request)
      const { connection, confirm, again, test } = queryOf(request)
      if (typeof connection === 'string' && test !== undefined) {
        return startTest(request, reply, { connection_id: connection, person })
      }
      // A new sign-in replaces a confirmation that no provider can give: see confirmationButtons.
      const isAgain = again !== undefined && person?.authTimeMs === 0
      if (typeof connection === 'string' && (person === undefined || confirm !== undefined || isAgain)) {
        const confirming = confirm !== undefined && person !== undefined
        const start = confirming
          ? { connection_id: connection, purpose: 'confirm' as const, user_id: person.user_id }
          : { connection_id: connection, purpose: 'sign_in' as const }
        return startCompanySignIn(needs, tools, { request, reply }, start)
      }
      if (person === undefined) {
        if (await returnToOwnSession(needs, request, reply)) {
          return reply.redirect(withReturnTo(`${frame.up}login`, returnTo), 303)
        }
        const lacksAdministrator = await isFirstStep(request, returnTo)
        return send(reply, signInPage(frame, { ...(await firstPage(request, frame, returnTo)), lacksAdministrator }))
      }
      const duty = dutyOf({ signedIn: person })
      if (duty === 'add_factor') {
        const page = (await factors.hasFactor(storage.db, person.user_id)) ? 'confirm' : 'add-factor'
        return reply.redirect(withReturnTo(`${frame.up}${page}`, returnTo), 303)
      }
      if (duty === 'change_password') {
        return reply.redirect(withReturnTo(`${frame.up}change-password`, returnTo), 303)
      }
      if (returnTo !== undefined) return reply.redirect(returnTo, 303)
      const note = 'password_changed' in queryOf(request) ? frame.t.signedIn.passwordChanged : undefined
      const canLink = (await listButtons(storage.db)).length > 0
      const user = await users.findById(storage.db, person.user_id)
      const hasPassword = user !== undefined && (await canUsePassword(storage.db, user))
      return send(reply, signedInPage(frame, { person: personOf(person), productUrl, note, canLink, hasPassword }))
    })
  }

  /** Opened from the console in a new tab. */
  async function startTest(
    request: FastifyRequest,
    reply: FastifyReply,
    { connection_id, person }: { connection_id: string; person: Awaited<ReturnType<typeof personIn>> },
  ) {
    const tester = testerIn(request, person)
    if (person === undefined || isHalf(person)) {
      const back = `${links.path('/login')}?${encodeQuery({ connection: connection_id, test: '' })}`
      return reply.redirect(withReturnTo(`${(await frameOf(request)).up}login`, back), 303)
    }
    if (tester === undefined) {
      const detail = 'Testing a connection needs the permissions connections:write and users:read.'
      throw new AppError('permission_denied', detail)
    }
    const start = { connection_id, purpose: 'test' as const, user_id: person.user_id, tester }
    return startCompanySignIn(needs, tools, { request, reply }, start)
  }

  /** The first page: the name alone if it may lead to a company. */
  async function firstPage(request: FastifyRequest, frame: Frame, returnTo: string | undefined) {
    return { ...(await shared(request, frame, returnTo)), isNameOnly: await hasDomains() }
  }

  async function hasDomains(): Promise<boolean> {
    return (await listButtons(storage.db)).some(({ domains }) => domains.length > 0)
  }

  async function shared(request: FastifyRequest, frame: Frame, returnTo: string | undefined) {
    const lastUsed = cookies.lastConnection.read(request)
    const buttons = connectionButtons(frame, await listButtons(storage.db), { returnTo, lastUsed })
    const [domain] = relyingParty.ids
    const offer = { label: frame.t.passkeys.signIn, start: 'sessions/passkey-options', finish: 'sessions', returnTo }
    const passkey = domain === undefined ? undefined : passkeyOffer(frame, { ...offer, domain })
    return { canReset, returnTo, buttons, passkey }
  }

  /** Users of the product do not need it, so it is shown only before there are users, and for the console. */
  async function isFirstStep(request: FastifyRequest, returnTo: string | undefined): Promise<boolean> {
    const ctx = contextOf(request)
    const isForConsole = returnTo !== undefined && /\/console(\/|$)/.test(returnTo.split(/[?#]/, 1)[0] ?? '')
    if (!isForConsole && (returnTo !== undefined || (await users.areThereAny(ctx)))) return false
    return setup.isOpen(ctx)
  }

  app.post('/login', hidden, async (request, reply) => {
    // Another site could sign users in under its own name, and read what they then enter.
    refuseCrossOrigin(request)
    const fields = formOf(request)
    const { username = '', password = '', challenge_id } = fields
    const returnTo = placeIn(fields)
    const frame = await frameOf(request)
    if (challenge_id !== undefined) return takeSecondStep(request, reply, challenge_id)
    if (fields.connection_id !== undefined) return takeCompanyPassword(needs, tools, { request, reply })
    if (username !== '' && fields.password === undefined) return takeName(request, reply, username)
    if (username === '' || password === '') {
      return send(
        reply,
        signInPage(frame, { ...(await shared(request, frame, returnTo)), username, fault: nothingEntered(frame.t) }),
        422,
      )
    }
    try {
      const { directory, isOfUser } = await directoryFor(storage.db, { username, password })
      if (directory !== undefined && !isOfUser) {
        return await enterFromSignInPage(needs, tools, { request, reply }, { directory, username, password, returnTo })
      }
      const outcome = await signInBrowser(needs, request, reply, { username, password }).catch(
        async (error: unknown) => {
          const isWrong = error instanceof AppError && error.code === 'sign_in_failed'
          if (isWrong && directory !== undefined) await askForNobody(request, directory, returnTo)
          throw error
        },
      )
      if ('next' in outcome) {
        const { options, ...next } = outcome.next
        const passkey = options && JSON.stringify(options)
        return send(reply, secondStepPage(frame, { ...next, passkey, returnTo, trustDays }), 200)
      }
      const { duty, session } = outcome.signedIn
      if (duty !== undefined) return reply.redirect(withReturnTo(pageOf(duty), returnTo), 303)
      const { user_id } = session
      const isDueLater = (await factors.requiredFrom(contextOf(request), user_id)) !== null
      return reply.redirect(isDueLater ? withReturnTo('add-factor', returnTo) : (returnTo ?? 'login'), 303)
    } catch (error) {
      const fault = signInFault(frame.t, error)
      if (fault === undefined || !(error instanceof AppError)) {
        return showRefusal(tools, { request, reply }, error, links.path('/link'))
      }
      return send(
        reply.headers(error.headers),
        signInPage(frame, { ...(await shared(request, frame, returnTo)), username, fault }),
        error.status,
      )
    }
  })

  /** The response must not reveal that the name belongs to a user here: see `enterFromForm`. */
  async function askForNobody(request: FastifyRequest, { connection_id }: Button, returnTo: string | undefined) {
    const { visit } = await visitOf(needs, request)
    await needs.companySignIn.askForNobody(
      { connection_id, visit, returnTo },
      { now: request.now, requestId: request.id },
    )
  }

  /** Decides by the domain alone, so that the page is the same whether or not there is such a user. */
  async function takeName(request: FastifyRequest, reply: FastifyReply, username: string) {
    const frame = await frameOf(request)
    const returnTo = placeIn(formOf(request))
    const domain = domainIn(username)
    const company = (await listButtons(storage.db)).find(({ domains }) => domain && domains.includes(domain))
    if (company === undefined)
      return send(reply, signInPage(frame, { ...(await shared(request, frame, returnTo)), username }))
    const { connection_id: connection } = company
    const href = `${frame.up}login?${encodeQuery({ connection, login_hint: username.trim(), return_to: returnTo })}`
    return send(reply, toProviderPage(frame, { href, detail: frame.t.signIn.companyNext(company.name) }))
  }

  async function takeSecondStep(request: FastifyRequest, reply: FastifyReply, challenge_id: string) {
    const fields = formOf(request)
    const { code = '', methods = '', passkey } = fields
    const returnTo = placeIn(fields)
    const frame = await frameOf(request)
    const trusts = fields.trust_browser === 'true'
    const proof = { challenge_id, ...codeIn(code), trust_browser: trusts }
    try {
      const outcome = await signInBrowser(needs, request, reply, proof)
      const duty = 'signedIn' in outcome ? outcome.signedIn.duty : undefined
      const next = 'recovery_code' in proof ? withReturnTo(links.path('/recovery-codes'), returnTo) : returnTo
      return reply.redirect(duty ? withReturnTo(pageOf(duty), next) : (next ?? 'login'), 303)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      reply.headers(error.headers)
      if (error.code === 'challenge_expired') {
        return send(
          reply,
          signInPage(frame, { ...(await shared(request, frame, returnTo)), fault: frame.t.confirm.expired }),
          error.status,
        )
      }
      const fault = secondStepFault(frame.t, error)
      if (fault === undefined) throw error
      const known = methods.split(' ').filter((method) => /^[a-z_]{1,20}$/.test(method))
      return send(
        reply,
        secondStepPage(frame, { challenge_id, methods: known, passkey, returnTo, trustDays, trusts, fault }),
        error.status,
      )
    }
  }
}

/** The sign-in page chooses between adding a factor and confirming with one. */
function pageOf(duty: Duty): string {
  return duty === 'change_password' ? 'change-password' : 'login'
}
