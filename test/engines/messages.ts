/** Links, the messages that bring them, and webhooks. */
import pino from 'pino'
import { fulfilRequests } from '../../src/access/sign-in/links/requests.ts'
import { startMailDispatcher } from '../../src/record/mails/sending/dispatch.ts'
import { loadTemplates } from '../../src/record/mails/templates/templates.ts'
import { startDispatcher } from '../../src/record/webhooks/dispatch.ts'
import { Authenticator } from '../authenticator.ts'
import { createPerson, password as ownPassword } from '../people.ts'
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

/** Sends messages until this holds. */
async function dispatching({ app, clock }: Script, what: string, holds: () => Promise<boolean>): Promise<void> {
  const templates = loadTemplates(app.config.mailTemplates, app.config.mailLocale)
  const dispatcher = clock.watch(app.storage, (storage) =>
    startMailDispatcher({
      storage,
      config: app.config,
      templates,
      log,
      outages: app.outages,
      clock,
      everyMs: 20,
      graceMs: 60_000,
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
