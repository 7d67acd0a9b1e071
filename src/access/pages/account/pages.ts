/** The account page and the pages behind it. Their forms call the API, which has the rules. */

import type { FastifyInstance, FastifyReply } from 'fastify'
import { system } from '../../../core/actor.ts'
import { scopeOf } from '../../../core/scope.ts'
import * as users from '../../../directory/users/service.ts'
import { timestamp } from '../../../lib/instant.ts'
import { type Form, formOf, hidden, type PageTools } from '../login-pages/service.ts'
import { chosenForSeconds, type Language, languages } from '../page-texts/service.ts'
import { readAccount } from './account.ts'
import { readOwnData } from './data.ts'
import { noFaults } from './faults.ts'
import { attributeValue } from './fields.ts'
import { type AccountForms, accountForms, type FormNeeds, type Show } from './forms.ts'
import { type OverviewNeeds, showAccount } from './overview.ts'
import { permissionPrefix } from './permission-fields.ts'
import { addressPage, deletedPage, deletionPage, factorPage, keyPage, newKeyPage, unlinkPage } from './steps.ts'

export type AccountPageNeeds = FormNeeds & OverviewNeeds

/** The pages of one part of the account. */
type Part = { app: FastifyInstance; needs: AccountPageNeeds; forms: AccountForms }

const dayMs = 86_400_000

export function accountPages(app: FastifyInstance, needs: AccountPageNeeds, tools: PageTools): void {
  const forms = accountForms(app, needs, tools, (exchange, step) => showAccount(needs, exchange, step))
  forms.get('/account', (exchange) => showAccount(needs, exchange, { faults: noFaults, typed: {} }))
  const part = { app, needs, forms }
  dataFile(part)
  profileForms(part)
  addressForms(part)
  sessionForms(part)
  factorForms(part)
  linkedAccountForms(part)
  keyForms(part)
  if (needs.config.accountDeletion === 'on') deletionForms(part)
}

/** The file is for the person, not for an administrator who acts as them. */
function dataFile({ app, needs, forms }: Part): void {
  app.get(
    '/account/data',
    { config: { ...hidden.config, duringImpersonation: false } },
    forms.signedIn('/account', async ({ request, reply }) => {
      const data = await readOwnData(needs, request, reply)
      return reply
        .header('content-disposition', 'attachment; filename="account-data.json"')
        .type('application/json; charset=utf-8')
        .send(`${JSON.stringify(data, null, 2)}\n`)
    }),
  )
}

function profileForms({ needs, forms: { post } }: Part): void {
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
}

function addressForms({ needs: { config, storage }, forms: { get, post } }: Part): void {
  const hasMail = config.smtpUrl !== undefined
  const showAddress: Show = async ({ frame, person }, step) => {
    const email = (await users.findById(storage.db, scopeOf(system), person.user_id))?.email ?? null
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
}

function sessionForms({ forms: { post } }: Part): void {
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
}

function factorForms({ needs, forms: { get, post } }: Part): void {
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
}

function linkedAccountForms({ needs, forms: { get, post } }: Part): void {
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
}

function keyForms({ forms: { get, post } }: Part): void {
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
}

function deletionForms({ needs, forms: { get, post } }: Part): void {
  const graceDays = needs.config.deletionGraceDays
  const showDeletion: Show = async ({ frame }, step) => deletionPage(frame, { ...step, graceDays })
  get('/account/deletion', showDeletion)
  post('/account/deletion', {
    show: showDeletion,
    call: () => ({ method: 'DELETE', path: '/me', etag: '*' }),
    done: (_, { frame }) => deletedPage(frame, { graceDays }),
  })
}

/** The permissions that are ticked; all that the user has if none is. */
function permissionsIn(fields: Form): string[] {
  const ticked = Object.keys(fields).filter((field) => field.startsWith(permissionPrefix))
  return ticked.length === 0 ? ['*'] : ticked.map((field) => field.slice(permissionPrefix.length))
}
