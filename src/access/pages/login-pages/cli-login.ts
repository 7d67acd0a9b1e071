/**
 * The pages on which a signed-in user approves the sign-in of a command line: at an address that the command opens, or with a code
 * that the user types and that is never part of an address. What is not enabled has no page.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SignedIn } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { isRecent } from '../../../http/endpoint/recent-authentication.ts'
import { networkOf } from '../../../lib/address.ts'
import { timestamp } from '../../../lib/instant.ts'
import type { RecordRefusal } from '../../../record/audit/service.ts'
import * as logins from '../../sign-in/cli-login/service.ts'
import { busyRefusal } from './faults.ts'
import { form, formOf, hidden, isHalf, type PageTools } from './tools.ts'
import { consentPage, decidedPage, userCodePage } from './views/cli-login-pages.ts'
import { toProviderPage } from './views/company-pages.ts'
import { type Message, withReturnTo } from './views/pages.ts'

export type CliLoginNeeds = Pick<
  HttpLayer,
  'config' | 'contextOf' | 'links' | 'makeChange' | 'originOf' | 'refuseCrossOrigin' | 'storage'
> & { recordRefusal: RecordRefusal }

const folder = '/cli-login'

export function cliLoginPages(app: FastifyInstance, needs: CliLoginNeeds, tools: PageTools): void {
  const { cliLogin } = needs.config
  if (cliLogin === 'off') return
  addressPages(app, needs, tools)
  if (cliLogin === 'on') userCodePages(app, needs, tools)
  app.get(`${folder}/done`, hidden, async (request, reply) => {
    return tools.send(reply, decidedPage(await tools.frameOf(request), { isApproved: true }))
  })
}

/**
 * Returns the user, signed in and confirmed a moment ago. Otherwise redirects to what is missing, which leads back to `path`.
 */
async function confirmedPerson(
  { links }: CliLoginNeeds,
  { frameOf, personIn }: PageTools,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  path: string,
): Promise<SignedIn | undefined> {
  const { up } = await frameOf(request)
  const person = await personIn(request)
  const missing = person === undefined || isHalf(person) ? 'login' : isRecent(person, request.now) ? '' : 'confirm'
  if (missing === '') return person
  reply.redirect(withReturnTo(up + missing, links.path(path)), 303)
  return undefined
}

/** Opened by `rollbook login` in a browser of its own machine. */
function addressPages(app: FastifyInstance, needs: CliLoginNeeds, tools: PageTools): void {
  const path = `${folder}/:request`

  app.get(path, hidden, async (request, reply) => {
    const { opensPage, page_hash } = addressOf(request)
    const person = await confirmedPerson(needs, tools, { request, reply }, `${folder}/${opensPage}`)
    if (person === undefined) return reply
    const found = await logins.findByPage(needs.storage.db, page_hash)
    if (!logins.waits(found, request.now)) throw overdue()
    return sendConsent(needs, tools, { request, reply }, { found, person, opensPage })
  })

  app.post(path, form, async (request, reply) => {
    needs.refuseCrossOrigin(request)
    const { opensPage, page_hash } = addressOf(request)
    const person = await confirmedPerson(needs, tools, { request, reply }, `${folder}/${opensPage}`)
    if (person === undefined) return reply
    const code = logins.newSecret()
    const { decided, isApproved } = await decide(needs, { request, reply }, { page_hash, code })
    const { redirect_uri, state } = decided
    const back = new URL(redirect_uri ?? '')
    back.searchParams.set(isApproved ? 'code' : 'error', isApproved ? code : 'access_denied')
    back.searchParams.set('state', state ?? '')
    const frame = await tools.frameOf(request)
    // Not a redirect: Chromium applies `form-action` to it, which cannot name a port of an IPv6 address.
    reply.header('cache-control', 'no-store')
    return tools.send(reply, toProviderPage(frame, { href: back.href, detail: frame.t.cliLogin.toCommandLine }))
  })
}

function addressOf({ params }: FastifyRequest): { opensPage: string; page_hash: string } {
  const { request: opensPage } = params as { request: string }
  if (!/^[\w-]{43}$/.test(opensPage)) throw overdue()
  return { opensPage, page_hash: logins.pageHashOf('loopback', opensPage) }
}

/** For a command line on a machine without a browser. */
function userCodePages(app: FastifyInstance, needs: CliLoginNeeds, tools: PageTools): void {
  const { frameOf, send } = tools

  for (const path of [folder, `${folder}/`]) {
    app.get(path, hidden, async (request, reply) => {
      const person = await confirmedPerson(needs, tools, { request, reply }, folder)
      return person === undefined ? reply : send(reply, userCodePage(await frameOf(request)))
    })
  }

  app.post(folder, form, async (request, reply) => {
    needs.refuseCrossOrigin(request)
    const frame = await frameOf(request)
    const person = await confirmedPerson(needs, tools, { request, reply }, folder)
    if (person === undefined) return reply
    const again = (fault: Omit<Message, 'at'>, status: number) =>
      send(reply, userCodePage(frame, { fault: { ...fault, at: 'user-code' } }), status)
    const { user_code = '', decision } = formOf(request)
    const page_hash = logins.pageHashOf('device', user_code)
    try {
      const { result: found } = await needs.makeChange(request, reply, 'cli_logins.look_up', {
        input: () => ({ page_hash }),
      })
      if (found === undefined) return again(frame.t.cliLogin.codeWrong, 422)
      if (decision === undefined) {
        return sendConsent(needs, tools, { request, reply }, { found, person, userCode: user_code })
      }
    } catch (error) {
      const { refusal, fault } = busyRefusal(frame.t, error)
      await needs.recordRefusal(refusal, request)
      reply.headers(refusal.headers)
      return again(fault, refusal.status)
    }
    const { isApproved } = await decide(needs, { request, reply }, { page_hash, code: '' })
    return send(reply, decidedPage(frame, { isApproved }))
  })
}

async function sendConsent(
  { originOf, contextOf }: CliLoginNeeds,
  { frameOf, send }: PageTools,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { found, person, ...shown }: { found: logins.LoginRow; person: SignedIn; userCode?: string; opensPage?: string },
): Promise<FastifyReply> {
  const { now, actor } = request
  const { address: ownAddress } = originOf(request)
  const { rules } = contextOf(request)
  const frame = await frameOf(request)
  const page = consentPage(frame, {
    ...logins.split(found, actor.permissions, rules.roles),
    username: person.username,
    name: found.name,
    address: found.address,
    ownAddress,
    isOtherNetwork: networkOf(found.address) !== networkOf(ownAddress),
    requestedAt: found.created_at,
    keyEndsAt: timestamp(now + Number(found.key_seconds) * 1000),
    now,
    action: [`${frame.up}cli-login`, ...(shown.opensPage === undefined ? [] : [shown.opensPage])].join('/'),
    userCode: shown.userCode,
  })
  return send(reply.header('cache-control', 'no-store'), page)
}

/** @throws AppError `expired_token` if the login no longer waits, `too_many_keys` */
async function decide(
  { makeChange }: CliLoginNeeds,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { page_hash, code }: { page_hash: string; code: string },
): Promise<{ decided: logins.LoginRow; isApproved: boolean }> {
  // Whatever is not clearly an approval is a refusal.
  const isApproved = formOf(request).decision === 'approve'
  const input = () => ({ page_hash, isApproved, code_hash: logins.secretHashOf(code) })
  const { result } = await makeChange(request, reply, 'cli_logins.decide', { input })
  if (result === undefined) throw overdue()
  return { decided: result, isApproved }
}

function overdue(): AppError {
  return new AppError('expired_token', 'This sign-in of a command line has expired, or was decided. Start it again.')
}
