/** Links, the messages that bring them, and webhooks. */
import pino from 'pino'
import { fulfilEntered } from '../../src/access/sign-in/access-requests/entry.ts'
import { fulfilCodes } from '../../src/access/sign-in/email-code/requests.ts'
import { fulfilRequests } from '../../src/access/sign-in/links/requests.ts'
import { codeOf } from '../../src/record/mails/codes.ts'
import { startMailDispatcher } from '../../src/record/mails/sending/dispatch.ts'
import { loadTemplates } from '../../src/record/mails/templates/templates.ts'
import { newToken, tokenHashOf } from '../../src/record/mails/tokens.ts'
import { startDispatcher } from '../../src/record/webhooks/dispatch.ts'
import { Authenticator } from '../authenticator.ts'
import { cookiesOf, createPerson, password as ownPassword } from '../people.ts'
import { isDelivered } from '../webhooks/dispatching.ts'
import { startReceiver } from '../webhooks/receiver.ts'
import { isAny, type Script, until } from './script.ts'

const log = pino({ enabled: false })
const page = { headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' } }
const form = (fields: Record<string, string>) => String(new URLSearchParams(fields))
const hourMs = 3_600_000
const password = 'a moth in relay seventy'

export async function links(script: Script): Promise<void> {
  const { app, admin, visitor, signIn } = script
  const pathOf = ({ url }: { url: string }) => url.replace(/^.*\/auth/, '')
  const returned = { return_url: true }

  const pia = await admin('POST /users', { username: 'pia', email: 'pia@example.com', invite: 'true' })
  await admin(`GET /users/${pia.user_id}/invitation`)
  const replaced = pathOf(await admin(`POST /users/${pia.user_id}/invitation`, returned))
  await admin(`POST /users/${pia.user_id}/invitation`, {})
  await visitor(`GET ${replaced}`, undefined, { refused: 410 })
  await admin(`DELETE /users/${pia.user_id}/invitation`)
  const invitation = pathOf(await admin(`POST /users/${pia.user_id}/invitation`, returned))
  await visitor(`GET ${invitation}`)
  await visitor(`POST ${invitation}`, form({ new_password: password }), page)
  await visitor(`GET ${invitation}`, undefined, { refused: 410 })
  await admin(`POST /users/${pia.user_id}/invitation`, {}, { refused: 409 })

  const reset = pathOf(await admin(`POST /users/${pia.user_id}/password-reset`, returned))
  await visitor(`POST ${reset}`, form({ new_password: 'another moth in relay seventy' }), page)
  await visitor('POST /password-resets', { username: 'pia' })
  await visitor('POST /password-resets', { username: 'no such user' })
  await fulfilRequests(app.storage, script.clock())

  const requested = await app.call('POST', '/sessions/email-code', { key: null, body: { username: 'pia' } })
  await visitor('POST /sessions/email-code', { username: 'no such user' })
  // It ends with the sign-in.
  await visitor('POST /sessions/email-code', { username: 'pia' })
  await fulfilCodes(app.storage, script.clock())
  const { challenge_id } = requested.body
  const email_code = codeOf(app.secrets.device, challenge_id)
  const cookie = cookiesOf(requested)
  await visitor('POST /sessions', { challenge_id, email_code: '12345x' }, { headers: { cookie }, refused: 401 })
  await visitor('POST /sessions', { challenge_id, email_code }, { headers: { cookie } })

  const rob = await admin('POST /users', { username: 'rob', email: 'rob@example.com' })
  const second = pathOf(await admin(`POST /users/${rob.user_id}/invitation`, returned))
  const device = new Authenticator({ origin: 'http://orchard.example' })
  const sameOrigin = { headers: { 'sec-fetch-site': 'same-origin' } }
  const begun = await visitor(`POST ${second}/passkey-options`, undefined, sameOrigin)
  const passkey = device.create(begun.options)
  await visitor(`POST ${second}/passkey`, { challenge_id: begun.challenge_id, passkey }, sameOrigin)

  await createPerson(app, { username: 'sue', email: 'sue@example.com' })
  const { caller } = await signIn('sue')
  await caller('POST /me/email-verification')
  await caller('PATCH /me', { email: 'rob@example.com', current_password: ownPassword })
  await caller('PATCH /me', { email: 'susan@example.com', current_password: ownPassword })
  await admin(`POST /users/${rob.user_id}/invitation`, {}, { refused: 409 })

  const tim = await admin('POST /users', { username: 'tim', email: 'tim@example.com', invite: 'true' })
  const raised = await admin('POST /groups', { name: 'Raised', role: 'support' })
  await admin(`PUT /groups/${raised.group_id}/members/${tim.user_id}`)
  await admin(`GET /users/${tim.user_id}/invitation`)
  await createPerson(app, { username: 'val', role: 'admin' })
  const val = await signIn('val')
  const anHourAgo = new Date(script.clock() - hourMs).toISOString()
  await app.runSql(`UPDATE sessions SET auth_time = '${anHourAgo}' WHERE session_id = '${val.session_id}'`)
  await admin(`PATCH /users/${tim.user_id}`, { active: false })
  await val.caller(`PATCH /users/${tim.user_id}`, { active: true }, { refused: 403 })
  await admin(`DELETE /users/${tim.user_id}`)
  await val.caller(`POST /users/${tim.user_id}/restore`, undefined, { refused: 403 })
}

export async function accessRequests(script: Script): Promise<void> {
  const { app, admin, visitor, clock } = script
  await admin('POST /users', { username: 'una', email: 'una@example.com' })
  for (const name of ['una', 'xia', 'yan', 'zoe', 'zoe', 'left']) {
    await visitor('POST /request-access', form({ email: `${name}@example.com` }), page)
    await fulfilEntered(app.storage, clock())
  }
  /** What the sender of messages does. */
  const linkTo = async (email: string) => {
    const [row] = await app.runSql(`SELECT link_id FROM mails WHERE address = '${email}' AND link_id IS NOT NULL`)
    const token = newToken()
    await app.runSql(
      `INSERT INTO link_tokens (token_hash, link_id, mailed) VALUES ('${tokenHashOf(token)}', '${row?.link_id}', 1)`,
    )
    return `/request-access/${token}`
  }
  const ids: Record<string, string> = {}
  for (const name of ['xia', 'yan', 'zoe']) {
    const path = await linkTo(`${name}@example.com`)
    await visitor(`GET ${path}`)
    await visitor(`POST ${path}`, form({ reason: '' }), { ...page, refused: 422 })
    await visitor(`POST ${path}`, form({ reason: `I am ${name}.`, first_name: name }), page)
    await visitor(`GET ${path}`, undefined, { refused: 410 })
    const [found] = await admin(`GET /access-requests?q=${name}@example&state=waiting&limit=1`)
    ids[name] = found.request_id
  }
  await admin('GET /access-requests?limit=2')
  await admin(`GET /access-requests/${ids.xia}`)
  await admin('POST /groups', { name: 'Newcomers' })
  await admin(`POST /access-requests/${ids.xia}/decision`, { decision: 'approve', groups: ['newcomers'] })
  await admin(`POST /access-requests/${ids.xia}/decision`, { decision: 'decline' }, { refused: 409 })
  await admin(`POST /access-requests/${ids.yan}/decision`, { decision: 'decline', reason: 'Staff only.' })
  for (const state of ['waiting', 'approved', 'declined', 'expired']) await admin(`GET /access-requests?state=${state}`)
  const [xia] = await admin('GET /users?username=xia@example.com')
  await admin(`DELETE /users/${xia.user_id}?purge=true`)
  const later = { ...script.request(), now: clock() + 31 * 24 * hourMs }
  await app.storage.change('access_requests.prune', undefined, later)
  await app.storage.change('access_requests.prune', undefined, script.request())
  await visitor('POST /request-access', form({ email: 'left@example.com' }), page)
}

/** Sends messages until this holds. */
async function dispatching({ app, clock }: Script, what: string, holds: () => Promise<boolean>): Promise<void> {
  const templates = loadTemplates(app.config.mailTemplates, app.config.mailLocale)
  const dispatcher = clock.watch(app.storage, (storage) =>
    startMailDispatcher({
      storage,
      config: app.config,
      templates,
      branding: app.branding,
      log,
      outages: app.outages,
      clock,
      everyMs: 20,
      graceMs: 60_000,
      codeSecret: app.secrets.device,
    }),
  )
  await until(what, holds)
  await clock.settled()
  await dispatcher.stop()
}

export async function mails(script: Script): Promise<void> {
  const { app, admin, clock, mailServer, signIn } = script
  const sent = await admin('POST /mails/test', { address: 'postmaster@example.com' })
  await admin('POST /mails/preview', { kind: 'invitation' })
  await admin('GET /mails/server')
  // More notices than go out one by one.
  await createPerson(app, { username: 'wes', email: 'wes@example.com', role: 'admin' })
  const wes = await signIn('wes')
  for (const name of ['a', 'b', 'c', 'd', 'e']) await wes.caller('POST /keys', { name, permissions: ['users:read'] })
  const isFailing = () => isAny(app, 'mail_servers WHERE failing_since IS NOT NULL')
  mailServer.behave((stage) => (stage === 'connect' ? { code: 421, text: 'later' } : undefined))
  await dispatching(script, 'the mail server counts as failing', isFailing)
  mailServer.behave((stage, _count, source) =>
    stage === 'data' && source.includes('postmaster@example.com') ? { code: 550, text: 'refused' } : undefined,
  )
  await clock.pass(hourMs)
  const due = `mails WHERE status = 'waiting' AND next_attempt_at <= '${new Date(clock()).toISOString()}'`
  await dispatching(script, 'every message that is due is sent', async () => !(await isAny(app, due)))
  const all = await admin('GET /mails?limit=100')
  await admin('GET /mails?status=sent&kind=test&limit=1')
  await admin(`GET /mails/${sent.mail_id}`)
  const failed = all.find(({ status }: { status: string }) => status === 'failed')
  await admin(`POST /mails/${failed.mail_id}/retry`)
  await admin(`POST /mails/${failed.mail_id}/retry`)
  const delivered = all.find(({ status }: { status: string }) => status === 'sent')
  await admin(`POST /mails/${delivered.mail_id}/retry`, undefined, { refused: 409 })
  const verification = mailServer.received.find(({ mail }) => /verify-email\//.test(mail.text ?? ''))
  const path = /\/auth(\/verify-email\/\S+)/.exec(verification?.mail.text ?? '')?.[1]
  const sue = await signIn('sue')
  await sue.caller(`GET ${path}`)
  await sue.caller(`POST ${path}`, form({}), page)
}

export async function webhooks(script: Script): Promise<void> {
  const { app, admin } = script
  const receiver = await startReceiver(script.t)
  const hook = await admin('POST /webhooks', { url: receiver.url, description: 'CRM', event_types: ['user.*'] })
  await admin('POST /webhooks', { url: 'ftp://receiver.example' }, { refused: 422 })
  await admin('GET /webhooks')
  await admin(`GET /webhooks/${hook.endpoint_id}`)
  await admin(`PATCH /webhooks/${hook.endpoint_id}`, { description: 'Billing' })
  await admin(`POST /webhooks/${hook.endpoint_id}/rotate-secret`)
  await admin(`POST /webhooks/${hook.endpoint_id}/test`)
  await admin('POST /webhooks', { url: receiver.url, event_types: ['group.created'] })
  const published = await admin('POST /users', { username: 'published' })
  await app.storage.settleJournal()
  receiver.respondWith(() => 500)
  await delivering(script, 'a delivery has failed', () => isAny(app, 'webhook_endpoints WHERE failure_count > 0'))
  await admin(`GET /webhooks/${hook.endpoint_id}`)
  await admin(`PATCH /webhooks/${hook.endpoint_id}`, { active: true })
  // More events of one user than wait in the queue of a receiver that fails.
  for (let change = 0; change <= 100; change++) {
    const input = { user_id: published.user_id, input: { first_name: `Name ${change}` }, expected: undefined }
    await app.storage.change('users.update', input, script.request())
  }
  await app.storage.settleJournal()
  await delivering(script, 'events are kept back', () => isAny(app, 'webhook_backlogs'))
  await admin(`PATCH /users/${published.user_id}`, { first_name: 'Kept back too' })
  await app.storage.settleJournal()
  const isBehind = () => isAny(app, 'webhook_endpoints WHERE cursor < (SELECT max(seq) FROM events)')
  await delivering(script, 'the event is seen', async () => !(await isBehind()))
  // As after the last attempts, which would take days.
  await app.runSql("UPDATE webhook_deliveries SET status = 'dead' WHERE status <> 'delivered'")
  receiver.respondWith(() => 204)
  await admin(`PATCH /webhooks/${hook.endpoint_id}`, { active: true })
  await admin(`PATCH /users/${published.user_id}`, { first_name: 'Last' })
  await app.storage.settleJournal()
  await delivering(script, 'every event is delivered', () => isDelivered(app))
  const [delivery] = await admin(`GET /webhooks/${hook.endpoint_id}/deliveries?limit=3`)
  await admin(`GET /webhooks/${hook.endpoint_id}/deliveries/${delivery.delivery_id}`)
  await admin(`POST /webhooks/${hook.endpoint_id}/deliveries/${delivery.delivery_id}/redeliver`)
  receiver.respondWith(() => 410)
  await delivering(script, 'the endpoint is disabled', () =>
    isAny(app, 'webhook_endpoints WHERE disabled_reason IS NOT NULL'),
  )
  await admin('GET /webhooks')
  await admin(`DELETE /webhooks/${hook.endpoint_id}`)
}

/** Delivers events until this holds. */
async function delivering({ app, clock }: Script, what: string, holds: () => Promise<boolean>): Promise<void> {
  const source = () => 'http://orchard.example/auth'
  const dispatcher = clock.watch(app.storage, (storage) =>
    startDispatcher({ storage, config: app.config, source, log, outages: app.outages, clock, everyMs: 20 }),
  )
  await until(what, holds)
  await clock.settled()
  await dispatcher.stop()
}
