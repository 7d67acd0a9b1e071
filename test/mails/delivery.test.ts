/** What the mail server can do to a message: sign-in and TLS, stalling, greylisting, refusing and breaking off. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeDirectory, startService } from '../durability/process.ts'
import { anyEngine } from '../harness.ts'
import { selfSigned } from '../proxies/certificate.ts'
import { stoppedClock } from '../stopped-clock.ts'
import { eventually } from '../webhooks/dispatching.ts'
import { startMailServer } from './mail-server.ts'
import { type ListedMail, type Mailing, mailEnv, mailsOf, startMailing } from './mailing.ts'

const minute = 60_000

const engine = anyEngine
const only = async (app: Mailing) => (await mailsOf(app))[0] as ListedMail

async function queue(app: Mailing, address = 'ada@example.com'): Promise<string> {
  const response = await app.call('POST', '/mails/test', { body: { address } })
  assert.equal(response.status, 202, response.text)
  return response.body.mail_id
}

describe('a mail server with TLS', () => {
  for (const tls of ['starttls', 'implicit'] as const) {
    it(`is signed in to over the encrypted connection (${tls})`, async (t) => {
      const server = await startMailServer(t, { user: 'orchard', password: 'secret', tls })
      const directory = makeDirectory(t)
      const trusted = join(directory, 'ca.pem')
      writeFileSync(trusted, selfSigned.cert)
      // A process of its own, which trusts the certificate of the test.
      const env = { ...mailEnv, ROLLBOOK_SMTP_URL: server.url, NODE_EXTRA_CA_CERTS: trusted }
      const service = await startService(t, { directory, env })
      assert.equal((await service.call('POST', '/mails/test', { address: 'ada@example.com' })).status, 202)
      await eventually('received', () => server.received.length === 1)
      assert.equal(server.received[0]?.isEncrypted, true)
    })

    it(`gets neither password nor message if its certificate proves nothing (${tls})`, async (t) => {
      const server = await startMailServer(t, { user: 'orchard', password: 'secret', tls })
      const app = await startMailing(t, engine, { env: { ROLLBOOK_SMTP_URL: server.url } })
      app.dispatch()
      await queue(app)
      await eventually('an error', async () => (await only(app)).error === 'tls_failed')
      const { status, attempt_count } = await only(app)
      assert.deepEqual([status, attempt_count, server.transfers(), server.signIns()], ['waiting', 0, 0, 0])
    })
  }
})

describe('a message', () => {
  for (const stage of ['connect', 'rcpt', 'data'] as const) {
    it(`is sent later when the server stalls (${stage})`, async (t) => {
      const clock = stoppedClock()
      const app = await startMailing(t, engine, { clock })
      let isStalling = true
      app.server.behave((at) => (at === stage && isStalling ? 'stall' : undefined))
      const impatient = app.dispatch({ patience: { connectMs: 300, silenceMs: 300 } })
      const mail_id = await queue(app)
      await eventually('a timeout', async () => (await only(app)).error === 'timeout')
      assert.equal((await only(app)).status, 'waiting')
      await impatient.stop()
      isStalling = false
      app.dispatch()
      await clock.pass(minute)
      await eventually('sent', async () => (await only(app)).status === 'sent')
      assert.deepEqual(
        app.server.received.map(({ mail }) => mail.messageId),
        [`<${mail_id}@orchard.example>`],
      )
    })
  }

  it('that the server is accepting when the node stops is sent once', async (t) => {
    const app = await startMailing(t, engine)
    const { promise: confirmed, resolve: confirm } = Promise.withResolvers<void>()
    app.server.behave((stage) => (stage === 'data' ? confirmed : undefined))
    const dispatcher = app.dispatch({ graceMs: minute })
    await queue(app)
    await eventually('transferred', () => app.server.transfers() === 1)
    const stopped = dispatcher.stop()
    // Filters take this long. A stop waited for a second, and the next node sent the message again.
    await sleep(1500)
    confirm()
    await stopped
    assert.equal((await only(app)).status, 'sent')
  })

  it('that the server does not accept while the node stops is sent by the next one', async (t) => {
    const app = await startMailing(t, engine)
    let isStalling = true
    app.server.behave((stage) => (stage === 'data' && isStalling ? 'stall' : undefined))
    const dispatcher = app.dispatch({ graceMs: 100 })
    await queue(app)
    await eventually('transferred', () => app.server.transfers() === 1)
    await dispatcher.stop()
    assert.equal((await only(app)).status, 'waiting')
    isStalling = false
    app.dispatch()
    await eventually('sent', async () => (await only(app)).status === 'sent')
  })

  it('does not hold up others while the server stalls over it', async (t) => {
    const app = await startMailing(t, engine)
    app.server.behave((at, count) => (at === 'data' && count === 0 ? 'stall' : undefined))
    app.dispatch()
    for (let n = 0; n < 10; n++) await queue(app, `person-${n}@example.com`)
    await eventually('nine', async () => (await mailsOf(app, '&status=sent')).length === 9)
  })

  it('arrives once after greylisting, which accepts each recipient at the second attempt', async (t) => {
    const clock = stoppedClock()
    const app = await startMailing(t, engine, { clock })
    const count = 30
    // All first attempts come before any second one, because the clock stands still.
    app.server.behave((at, n) => (at === 'rcpt' && n < count ? { code: 451, text: '4.7.1 Greylisted' } : undefined))
    app.dispatch()
    for (let n = 0; n < count; n++) await queue(app, `person-${n}@example.com`)
    await eventually('deferred', async () => (await mailsOf(app)).every(({ error }) => error === 'deferred'))
    assert.ok((await mailsOf(app)).every(({ attempt_count }) => attempt_count === 1))
    await clock.pass(minute)
    await eventually('all', async () => (await mailsOf(app, '&status=sent')).length === count)
    assert.equal(new Set(app.server.received.map(({ to }) => to[0])).size, count)
    assert.equal(app.server.received.length, count)
  })

  for (const [code, status, error] of [
    [552, 'failed', 'rejected'],
    [452, 'waiting', 'deferred'],
  ] as const) {
    it(`is ${error} when the server answers its content with ${code}`, async (t) => {
      const app = await startMailing(t, engine)
      app.server.behave((stage) => (stage === 'data' ? { code, text: 'Too much mail data' } : undefined))
      app.dispatch()
      await queue(app)
      await eventually('an error', async () => (await only(app)).error === error)
      const mail = await only(app)
      assert.deepEqual([mail.status, mail.attempt_count], [status, 1])
      assert.match(mail.response ?? '', new RegExp(`${code}.*Too much mail data`))
    })
  }

  it('costs no attempt when the server says 421, whatever it says it to', async (t) => {
    const app = await startMailing(t, engine)
    app.server.behave((stage) => (stage === 'rcpt' ? { code: 421, text: 'Shutting down' } : undefined))
    app.dispatch()
    await queue(app)
    await eventually('an error', async () => (await only(app)).error === 'connection_failed')
    const { status, attempt_count } = await only(app)
    assert.deepEqual([status, attempt_count], ['waiting', 0])
  })
})
