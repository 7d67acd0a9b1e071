/** The sign-in page. sign-in-submit.ts has what it receives. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { dutyOf, type SignedIn, system } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import * as users from '../../../directory/users/service.ts'
import { canUsePassword } from '../../../directory/users/service.ts'
import { encodeQuery } from '../../../http/request/query.ts'
import * as factors from '../../credentials/factors/service.ts'
import { returnToOwnSession } from '../../credentials/sessions/service.ts'
import { hasDomains, listLinkable } from '../../providers/connections/service.ts'
import * as setup from '../../sign-in/setup/service.ts'
import { startCompanySignIn, testerIn } from './company.ts'
import { formParts, type SignInNeeds, type SignInPage } from './sign-in-form.ts'
import { submitSignIn } from './sign-in-submit.ts'
import { hidden, isHalf, type PageTools, personOf, queryOf } from './tools.ts'
import { signedInPage, signInPage, withReturnTo } from './views/pages.ts'

export type { SignInNeeds } from './sign-in-form.ts'

export function signInPages(app: FastifyInstance, needs: SignInNeeds, tools: PageTools): void {
  const page = { needs, tools }
  for (const path of ['/login', '/login/']) {
    app.get(path, hidden, (request, reply) => showSignIn(page, request, reply))
  }
  app.post('/login', hidden, (request, reply) => submitSignIn(page, request, reply))
}

/** Shows the form, or sends the browser on: to a company, to what a signed-in user must do first, or to the product. */
async function showSignIn(
  { needs, tools }: SignInPage,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { storage } = needs
  const { frameOf, send, placeIn, personIn } = tools
  const frame = await frameOf(request)
  const returnTo = placeIn(queryOf(request))
  const person = await personIn(request)
  const { connection, confirm, again, test } = queryOf(request)
  if (typeof connection === 'string' && test !== undefined) {
    return startTest({ needs, tools }, { request, reply }, { connection_id: connection, person })
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
    // The name alone if it may lead to a company.
    const isNameOnly = await hasDomains(storage.db)
    const lacksAdministrator = await isFirstStep(needs, request, returnTo)
    const parts = await formParts(needs, request, { frame, returnTo })
    return send(reply, signInPage(frame, { ...parts, isNameOnly, lacksAdministrator }))
  }
  return sendOnward({ needs, tools }, { request, reply }, person)
}

type Exchange = { request: FastifyRequest; reply: FastifyReply }

/** Where a signed-in user goes. */
async function sendOnward(
  { needs, tools }: SignInPage,
  { request, reply }: Exchange,
  person: SignedIn,
): Promise<FastifyReply> {
  const { config, links, storage } = needs
  const frame = await tools.frameOf(request)
  const returnTo = tools.placeIn(queryOf(request))
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
  const canLink = (await listLinkable(storage.db, person)).length > 0
  const user = await users.findById(storage.db, scopeOf(system), person.user_id)
  const hasPassword = user !== undefined && (await canUsePassword(storage.db, user))
  // Under a prefix, the rest of the origin belongs to the product.
  const productUrl = links.path('') === '' ? config.returnOrigins?.[0] : '/'
  return tools.send(reply, signedInPage(frame, { person: personOf(person), productUrl, note, canLink, hasPassword }))
}

/** Opened from the console in a new tab. */
async function startTest(
  { needs, tools }: SignInPage,
  { request, reply }: Exchange,
  { connection_id, person }: { connection_id: string; person: SignedIn | undefined },
): Promise<FastifyReply> {
  const tester = testerIn(request, person)
  if (person === undefined || isHalf(person)) {
    const back = `${needs.links.path('/login')}?${encodeQuery({ connection: connection_id, test: '' })}`
    return reply.redirect(withReturnTo(`${(await tools.frameOf(request)).up}login`, back), 303)
  }
  if (tester === undefined) {
    const detail = 'Testing a connection needs the permissions connections:write and users:read.'
    throw new AppError('permission_denied', detail)
  }
  const start = { connection_id, purpose: 'test' as const, user_id: person.user_id, tester }
  return startCompanySignIn(needs, tools, { request, reply }, start)
}

/** Users of the product do not need it, so it is shown only before there are users, and for the console. */
async function isFirstStep(
  { contextOf }: SignInNeeds,
  request: FastifyRequest,
  returnTo: string | undefined,
): Promise<boolean> {
  const ctx = contextOf(request)
  const isForConsole = returnTo !== undefined && /\/console(\/|$)/.test(returnTo.split(/[?#]/, 1)[0] ?? '')
  if (!isForConsole && (returnTo !== undefined || (await users.areThereAny(ctx)))) return false
  return setup.isOpen(ctx)
}
