/** The account page and the pages behind it. Their forms call the API, which has the rules. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SignedIn } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import { eraseSoon } from '../../../directory/deleted-users/service.ts'
import * as users from '../../../directory/users/service.ts'
import { canUsePassword } from '../../../directory/users/service.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { isRecent } from '../../../http/endpoint/recent-authentication.ts'
import { timestamp } from '../../../lib/instant.ts'
import type { RecordRefusal } from '../../../record/audit/service.ts'
import type { Factors, PasskeyAccount } from '../../credentials/factors/schema.ts'
import type { RelyingParty } from '../../credentials/factors/service.ts'
import * as factors from '../../credentials/factors/service.ts'
import { listButtons } from '../../providers/connections/service.ts'
import {
  type Form,
  type Frame,
  form,
  formOf,
  hidden,
  isHalf,
  type Page,
  type PageNeeds,
  type PageTools,
  queryOf,
  withReturnTo,
} from '../login-pages/service.ts'
import type { Me } from '../me/schema.ts'
import { chosenForSeconds, type Language, languages, type Texts } from '../page-texts/service.ts'
import { type AccountNeeds, readAccount, readActivity, readAllActivity } from './account.ts'
import { type Call, callApi } from './api-call.ts'
import { personalData } from './data.ts'
import { faultsOf, noFaults } from './faults.ts'
import { attributeValue, permissionPrefix } from './fields.ts'
import {
  addressPage,
  deletedPage,
  deletionPage,
  factorPage,
  keyPage,
  newKeyPage,
  type Step,
  unlinkPage,
} from './steps.ts'
import { accountPage, withQuery } from './view.ts'

export type AccountPageNeeds = AccountNeeds &
  PageNeeds &
  Pick<HttpLayer, 'refuseCrossOrigin' | 'makeChange' | 'log'> & {
    recordRefusal: RecordRefusal
    relyingParty: RelyingParty
  }

type NoteName = keyof Texts['account']['saved']

type Exchange = {
  request: FastifyRequest
  reply: FastifyReply
  frame: Frame
  person: SignedIn
  returnTo: string | undefined
}
/** Shows the page of a form; after a refusal with what was wrong and what was typed. Undefined: it is about nothing any more. */
type Show = (exchange: Exchange, step: Step) => Promise<Page | undefined>

const dayMs = 86_400_000

export function accountPages(app: FastifyInstance, needs: AccountPageNeeds, tools: PageTools): void {
  const { config, links, storage } = needs
  const here = links.path('/account')
  const hasMail = config.smtpUrl !== undefined

  /** Runs `handle` for a signed-in user; everyone else signs in first, and comes back to `path`. */
  function signedIn(path: string, handle: (exchange: Exchange) => Promise<FastifyReply>) {
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const isForm = request.method === 'POST'
      if (isForm) needs.refuseCrossOrigin(request)
      const frame = await tools.frameOf(request)
      const person = await tools.personIn(request)
      const fields = isForm ? formOf(request) : queryOf(request)
      const returnTo = tools.placeIn(fields)
      reply.header('cache-control', 'no-store')
      if (person === undefined || isHalf(person)) {
        const back = withQuery(links.path(path), isForm ? typedIn(fields as Form, returnTo) : textsOf(fields))
        return reply.redirect(withReturnTo(`${frame.up}login`, back), 303)
      }
      return handle({ request, reply, frame, person, returnTo })
    }
  }

  async function showAccount(
    { request, frame, person, returnTo }: Exchange,
    { faults, typed }: Pick<Step, 'faults' | 'typed'>,
  ): Promise<Page> {
    const user = await users.findById(storage.db, person.user_id)
    const { saved } = frame.t.account
    const done = queryOf(request).saved
    const account = await readAccount(needs, request)
    return accountPage(frame, {
      account,
      passkeys: passkeySignals(account.factors, { saved: done, me: account.me }),
      activity: await readActivity(needs, request),
      now: request.now,
      here,
      returnTo,
      note: typeof done === 'string' && Object.hasOwn(saved, done) ? saved[done as keyof typeof saved] : undefined,
      faults,
      typed,
      hasPassword: user !== undefined && (await canUsePassword(storage.db, user)),
      hasMail,
      canLink: (await listButtons(storage.db)).length > 0,
      mayDelete: config.accountDeletion === 'on',
    })
  }

  /** What password managers are told about the passkeys and the name of the user, after one of them has changed. */
  function passkeySignals(
    { passkey_accounts: accounts }: Factors,
    { saved, me }: { saved: unknown; me: Me },
  ): readonly PasskeyAccount[] {
    if (saved !== 'factor_removed') return saved === 'profile' ? accounts : []
    // The account of a domain is no longer listed once its last passkey is removed.
    const withoutPasskey = needs.relyingParty.ids.filter((id) => accounts.every(({ rp_id }) => rp_id !== id))
    const { user_id, username: name } = me
    const user = { user_handle: factors.userHandle(user_id), name, display_name: factors.displayName(me) }
    return [...accounts, ...withoutPasskey.map((rp_id) => ({ ...user, rp_id, credential_ids: [] }))]
  }

  type Post = {
    call: (fields: Form, exchange: Exchange) => Call | Promise<Call>
    /** The note on the account page, or what to show instead. */
    done: NoteName | ((body: Record<string, unknown>, exchange: Exchange) => NoteName | Page)
    show?: Show
    /** The page to which a confirmation leads back. */
    confirmAt?: string
  }

  /** Posts to `path` what `call` makes of the fields, and goes back to the account page. */
  function post(path: string, { call, done, show = showAccount, confirmAt = path }: Post): void {
    app.post(
      path,
      form,
      signedIn(confirmAt, async (exchange) => {
        const { request, reply, frame, returnTo } = exchange
        const fields = formOf(request)
        const result = await callApi(app, needs, exchange, await call(fields, exchange))
        if ('body' in result) {
          const next = typeof done === 'string' ? done : done(result.body, exchange)
          if (typeof next !== 'string') return tools.send(reply, next)
          return reply.redirect(withQuery(`${frame.up}account`, { saved: next, return_to: returnTo }), 303)
        }
        const back = withQuery(links.path(confirmAt), typedIn(fields, returnTo))
        const elsewhere = otherPage(frame, result.refusal.code, back)
        if (elsewhere !== undefined) return reply.redirect(elsewhere, 303)
        const { status, retryAfter } = result.refusal
        if (retryAfter !== undefined) reply.header('retry-after', retryAfter)
        const step = { returnTo, faults: faultsOf(frame.t, result.refusal), typed: fields }
        return tools.send(reply, (await show(exchange, step)) ?? (await showAccount(exchange, step)), status)
      }),
    )
  }

  function get(path: string, show: Show): void {
    for (const one of [path, `${path}/`]) {
      app.get(
        one,
        hidden,
        signedIn(path, async (exchange) => {
          const { request, reply, frame, returnTo } = exchange
          const page = await show(exchange, { returnTo, faults: noFaults, typed: textsOf(queryOf(request)) })
          // It was removed in another tab.
          if (page === undefined) return reply.redirect(withQuery(`${frame.up}account`, { return_to: returnTo }), 303)
          return tools.send(reply, page)
        }),
      )
    }
  }

  get('/account', (exchange) => showAccount(exchange, { faults: noFaults, typed: {} }))

  // The file is for the person, not for an administrator who acts as them.
  app.get(
    '/account/data',
    { config: { ...hidden.config, duringImpersonation: false } },
    signedIn('/account', async ({ request, reply }) => {
      const data = personalData(await readAccount(needs, request), await readAllActivity(needs, reply), request.now)
      return reply
        .header('content-disposition', 'attachment; filename="account-data.json"')
        .type('application/json; charset=utf-8')
        .send(`${JSON.stringify(data, null, 2)}\n`)
    }),
  )

  post('/account/profile', {
    confirmAt: '/account',
    done: 'profile',
    async call(fields, { request }) {
      const { me } = await readAccount(needs, request)
      const attributes = me.attribute_definitions.flatMap((definition): [string, unknown][] => {
        const text = fields[`attributes.${definition.name}`]
        return text === undefined ? [] : [[definition.name, attributeValue(definition, text)]]
      })
      const { first_name, last_name, etag } = fields
      return {
        method: 'PATCH',
        path: '/me',
        body: {
          ...(first_name !== undefined && { first_name }),
          ...(last_name !== undefined && { last_name }),
          ...(attributes.length > 0 && { attributes: Object.fromEntries(attributes) }),
        },
        etag: etag ?? '*',
      }
    },
  })

  post('/account/language', {
    confirmAt: '/account',
    done: 'language',
    call({ locale = '' }, { reply }) {
      if (languages.includes(locale as Language)) rememberLanguage(reply, locale)
      return { method: 'PATCH', path: '/me', body: { locale: locale === '' ? null : locale }, etag: '*' }
    },
  })

  function rememberLanguage(reply: FastifyReply, language: string): void {
    reply.header('set-cookie', needs.cookies.language.set(language, chosenForSeconds))
  }

  const showAddress: Show = async ({ frame, person }, step) => {
    const email = (await users.findById(storage.db, person.user_id))?.email ?? null
    return addressPage(frame, { ...step, email, hasMail })
  }
  get('/account/address', showAddress)
  post('/account/address', {
    show: showAddress,
    done(_, { request }) {
      if ((formOf(request).email ?? '').trim() === '') return 'address_removed'
      return hasMail ? 'address_sent' : 'address'
    },
    call({ email = '', current_password = '' }) {
      const password = current_password === '' ? {} : { current_password }
      return { method: 'PATCH', path: '/me', body: { email: email.trim() || null, ...password }, etag: '*' }
    },
  })
  post('/account/address/confirmation', {
    confirmAt: '/account',
    done: 'address_sent',
    call: () => ({ method: 'POST', path: '/me/email-verification' }),
  })

  post('/account/session', {
    confirmAt: '/account',
    done: 'session',
    call: ({ session_id = '' }) => ({ method: 'DELETE', path: `/sessions/${encodeURIComponent(session_id)}` }),
  })
  post('/account/sessions', {
    confirmAt: '/account',
    done: 'sessions',
    call: () => ({ method: 'DELETE', path: '/sessions' }),
  })
  post('/account/browser', {
    confirmAt: '/account',
    done: 'browser',
    call: ({ browser_id = '' }) => ({
      method: 'DELETE',
      path: `/me/trusted-browsers/${encodeURIComponent(browser_id)}`,
    }),
  })

  const showFactor: Show = async ({ request, frame }, step) => {
    const { factors } = (await readAccount(needs, request)).factors
    const factor = factors.find(({ factor_id }) => factor_id === step.typed.factor_id)
    return factor && factorPage(frame, { ...step, factor })
  }
  get('/account/factor', showFactor)
  post('/account/factor', {
    show: showFactor,
    done: 'factor_renamed',
    call: ({ factor_id = '', name = '' }) => ({
      method: 'PATCH',
      path: `/me/factors/${encodeURIComponent(factor_id)}`,
      body: { name },
    }),
  })
  post('/account/factor/removal', {
    show: showFactor,
    confirmAt: '/account/factor',
    done: 'factor_removed',
    call: ({ factor_id = '' }) => ({ method: 'DELETE', path: `/me/factors/${encodeURIComponent(factor_id)}` }),
  })

  const showLinked: Show = async ({ request, frame }, step) => {
    const { identities } = await readAccount(needs, request)
    const identity = identities.find(({ identity_id }) => identity_id === step.typed.identity_id)
    return identity && unlinkPage(frame, { ...step, identity })
  }
  get('/account/linked', showLinked)
  post('/account/linked', {
    show: showLinked,
    done: 'unlinked',
    call: ({ identity_id = '' }) => ({ method: 'DELETE', path: `/me/identities/${encodeURIComponent(identity_id)}` }),
  })

  const showKey: Show = async ({ request, frame }, step) =>
    keyPage(frame, { ...step, permissions: request.actor.permissions })
  get('/account/key', showKey)
  post('/account/key', {
    show: showKey,
    call({ name = '', days = '', ...fields }, { request }) {
      const expires_at = /^\d{1,4}$/.test(days) ? { expires_at: timestamp(request.now + Number(days) * dayMs) } : {}
      return {
        method: 'POST',
        path: '/me/keys',
        body: { name: name.trim(), permissions: permissionsIn(fields), ...expires_at },
      }
    },
    done: ({ key }, { frame, returnTo }) => newKeyPage(frame, { returnTo, key: String(key) }),
  })
  post('/account/key/revocation', {
    confirmAt: '/account',
    done: 'key',
    call: ({ key_id = '' }) => ({ method: 'DELETE', path: `/me/keys/${encodeURIComponent(key_id)}` }),
  })

  if (config.accountDeletion === 'on') deletionPages()

  /** An ordinary deletion, which an administrator can undo: the API has none of one's own account. */
  function deletionPages(): void {
    const graceDays = config.deletionGraceDays
    get('/account/deletion', async ({ frame }, step) => deletionPage(frame, { ...step, graceDays }))
    app.post(
      '/account/deletion',
      form,
      signedIn('/account/deletion', async ({ request, reply, frame, person: { user_id }, returnTo }) => {
        const back = withQuery(links.path('/account/deletion'), { return_to: returnTo })
        if (!isRecent(request.actor.signedIn as SignedIn, request.now)) {
          return reply.redirect(withReturnTo(`${frame.up}confirm`, back), 303)
        }
        try {
          const input = { user_id, expected: undefined, graceDays, purge: false, override: false }
          const { result } = await needs.makeChange(request, reply, 'users.delete', { input: () => input })
          if (result.restorable_until === null) await eraseSoon(needs, user_id, request.now)
        } catch (error) {
          if (!(error instanceof AppError) || error.status >= 500) throw error
          await needs.recordRefusal(error, request)
          const { code, status, errors = [] } = error
          const faults = faultsOf(frame.t, { code, status, errors, retryAfter: undefined })
          return tools.send(reply, deletionPage(frame, { returnTo, faults, typed: {}, graceDays }), status)
        }
        reply.header('set-cookie', [needs.cookies.clear(), needs.cookies.own.clear()])
        return tools.send(reply, deletedPage(frame, { graceDays }))
      }),
    )
  }
}

/** The permissions that are ticked; all that the user has if none is. */
function permissionsIn(fields: Form): string[] {
  const ticked = Object.keys(fields).filter((field) => field.startsWith(permissionPrefix))
  return ticked.length === 0 ? ['*'] : ticked.map((field) => field.slice(permissionPrefix.length))
}

/** Where the user goes first: to a confirmation, or to sign in. Then back to the form. */
function otherPage(frame: Frame, code: string, back: string): string | undefined {
  if (code === 'reauthentication_required') return withReturnTo(`${frame.up}confirm`, back)
  const mustSignIn = ['credential_missing', 'credential_invalid', 'factor_required', 'password_change_required']
  return mustSignIn.includes(code) ? withReturnTo(`${frame.up}login`, back) : undefined
}

/** What of a form may be in an address: never a password. */
function typedIn(fields: Form, returnTo: string | undefined): Record<string, string | undefined> {
  const { email, name, days, factor_id, identity_id } = fields
  const permissions = Object.entries(fields).filter(([field]) => field.startsWith(permissionPrefix))
  return { email, name, days, factor_id, identity_id, ...Object.fromEntries(permissions), return_to: returnTo }
}

/** Reads a query, in which repeated parameters are arrays. */
function textsOf(query: Readonly<Record<string, unknown>>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      typeof value === 'string' && value.length <= 512 ? [[name, value]] : [],
    ),
  )
}
