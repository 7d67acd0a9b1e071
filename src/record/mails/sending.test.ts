import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { anyEngine, engines, start } from '../../../test/harness.ts'
import { startMailServer } from '../../../test/mails/mail-server.ts'
import { type Mailing, mailsOf, startMailing } from '../../../test/mails/mailing.ts'
import { stoppedClock } from '../../../test/stopped-clock.ts'
import { eventually } from '../../../test/webhooks/dispatching.ts'
import { system } from '../../core/actor.ts'

const [second, minute, hour] = [1000, 60_000, 3_600_000]

async function queue(app: Mailing, address = 'ada@example.com'): Promise<string> {
  const response = await app.call('POST', '/mails/test', { body: { address } })
  assert.equal(response.status, 202, response.text)
  return response.body.mail_id
}

const only = async (app: Mailing) => (await mailsOf(app))[0]
for (const engine of engines) {
  describe(`messages on ${engine.name}`, () => {
    it('arrive once, with headers that say what they are, and no bodies in the store', async (t) => {
      const app = await startMailing(t, engine)
      app.dispatch()
      const mail_id = await queue(app)
      await eventually('sent', async () => (await only(app))?.status === 'sent')
      const [{ from, to, source, mail }] = app.server.received as [(typeof app.server.received)[0]]
      assert.deepEqual([from, to], ['no-reply@orchard.example', ['ada@example.com']])
      assert.equal(mail.messageId, `<${mail_id}@orchard.example>`)
      assert.equal(mail.headers.get('auto-submitted'), 'auto-generated')
      assert.equal(mail.subject, 'Test message from Orchard')
      assert.equal(mail.from?.text, '"Orchard" <no-reply@orchard.example>')
      assert.match(mail.text ?? '', /Orchard can send email/)
      assert.match(String(mail.html), /Orchard<\/bdi> can send email/)
      assert.doesNotMatch(source, /^X-Mailer|^List-|^Bcc/im)
      assert.doesNotMatch(String(mail.html), /<img|<link|<script|src=|url\(|@import/i)
      assert.ok(!(await app.stored()).includes('can send email'))
      await sleep(100)
      assert.equal(app.server.transfers(), 1)
    })

    it('are given up at once when the server rejects them, and can be sent again', async (t) => {
      const app = await startMailing(t, engine)
      app.server.behave((stage) => (stage === 'rcpt' ? { code: 550, text: 'No such mailbox' } : undefined))
      app.dispatch()
      const mail_id = await queue(app)
      await eventually('failed', async () => (await only(app))?.status === 'failed')
      const { error, response, attempt_count } = (await only(app)) ?? {}
      assert.deepEqual([error, attempt_count], ['rejected', 1])
      assert.match(response ?? '', /550 .*No such mailbox/)
      app.server.behave(() => undefined)
      assert.equal((await app.call('POST', `/mails/${mail_id}/retry`)).status, 202)
      await eventually('sent', async () => (await only(app))?.status === 'sent')
      const again = await app.call('POST', `/mails/${mail_id}/retry`)
      assert.deepEqual([again.status, again.body.code], [409, 'mail_not_failed'])
    })

    it('leave no link in what the server says about them', async (t) => {
      const clock = stoppedClock()
      const app = await startMailing(t, engine, { clock })
      const body = { username: 'ada', email: 'ada@example.com' }
      const { user_id } = (await app.call('POST', '/users', { body })).body
      const quoted: string[] = []
      app.server.behave((stage, count, source) => {
        if (stage !== 'data') return undefined
        const [link = ''] = /http:\S+\/invitation\/[\w-]{43}/.exec(source.replaceAll('=\r\n', '')) ?? []
        quoted.push(link)
        const code = count === 0 ? 451 : 550
        return { code, text: count === 0 ? `${link} is new here` : `LISTED: ${link.toUpperCase()}, and ${link}` }
      })
      app.dispatch()
      assert.equal((await app.call('POST', `/users/${user_id}/invitation`)).status, 200)
      await eventually('deferred', async () => (await only(app))?.error === 'deferred')
      assert.match((await only(app))?.response ?? '', /^451 .*\/invitation\/…$/)
      await clock.pass(minute)
      await eventually('failed', async () => (await only(app))?.status === 'failed')
      assert.match((await only(app))?.response ?? '', /^550 .*LISTED: .*\/INVITATION\/…$/)
      const stored = String(await app.stored()).toLowerCase()
      assert.equal(quoted.length, 2)
      for (const link of quoted) assert.ok(!stored.includes(link.slice(-43).toLowerCase()))
    })

    it('are at most five per hour for one address, also tests and those that are sent again', async (t) => {
      const clock = stoppedClock()
      const app = await startMailing(t, engine, { clock })
      app.server.behave((stage) => (stage === 'rcpt' ? { code: 550, text: 'No such mailbox' } : undefined))
      app.dispatch()
      const failed = await queue(app)
      await eventually('failed', async () => (await only(app))?.status === 'failed')
      await clock.pass(hour)
      app.server.behave(() => undefined)
      for (const address of ['ada@example.com', 'Ada@Example.com', 'ada@example.com', 'ada@EXAMPLE.com']) {
        await queue(app, address)
      }
      await queue(app)
      const limited = [
        await app.call('POST', '/mails/test', { body: { address: '\u200e ADA@example.com ' } }),
        await app.call('POST', `/mails/${failed}/retry`),
        await app.call('POST', `/mails/${failed}/retry?dry_run=true`),
      ]
      for (const response of limited) {
        assert.deepEqual(
          [response.status, response.body.code, response.headers['retry-after']],
          [429, 'too_many_mails', '3600'],
          response.text,
        )
      }
      await queue(app, 'grace@example.com')
      await eventually('six messages', () => app.server.received.length === 6)
      await clock.pass(hour)
      assert.equal((await app.call('POST', `/mails/${failed}/retry`)).status, 202)
      // What was sent again counts like a new one.
      for (let n = 0; n < 4; n++) await queue(app)
      const sixth = await app.call('POST', '/mails/test', { body: { address: 'ada@example.com' } })
      assert.equal(sixth.status, 429)
    })

    it('are retried after greylisting, later each time, and given up after two days', async (t) => {
      const clock = stoppedClock()
      const app = await startMailing(t, engine, { clock })
      app.server.behave((stage) => (stage === 'rcpt' ? { code: 451, text: 'Greylisted' } : undefined))
      app.dispatch()
      await queue(app)
      const delays: number[] = []
      for (let elapsed = 0; elapsed < 60 * hour; ) {
        const count = delays.length + 1
        await eventually('an attempt', async () => ((await only(app))?.attempt_count ?? 0) >= count)
        const mail = await only(app)
        if (mail?.status === 'failed') break
        const delay = Date.parse(mail?.next_attempt_at ?? '') - clock()
        delays.push(delay)
        elapsed += delay
        await clock.pass(delay)
      }
      const { status, error } = (await only(app)) ?? {}
      assert.deepEqual([status, error], ['failed', 'deferred'])
      const least = [30 * second, 2 * minute, 5 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 4 * hour]
      for (const [i, delay] of least.entries()) {
        assert.ok((delays[i] ?? 0) >= delay && (delays[i] ?? 0) <= 1.2 * delay, `delay ${i + 1}: ${delays[i]}`)
      }
      const total = delays.reduce((sum, delay) => sum + delay, 0)
      assert.ok(total >= 48 * hour && total < 53 * hour, String(total))
    })

    it('are tried at once when an administrator says so, also while the server accepts nothing', async (t) => {
      const clock = stoppedClock()
      const app = await startMailing(t, engine, { clock })
      app.server.behave((stage) => (stage === 'rcpt' ? { code: 451, text: 'Greylisted' } : undefined))
      app.dispatch()
      const mail_id = await queue(app)
      await eventually('an attempt', async () => (await only(app))?.attempt_count === 1)
      const { body, status } = await app.call('POST', `/mails/${mail_id}/retry`)
      assert.deepEqual([status, body.status, body.attempt_count], [202, 'waiting', 1])
      await eventually('another attempt', async () => (await only(app))?.attempt_count === 2)
      await app.server.stop()
      assert.equal((await app.call('POST', `/mails/${mail_id}/retry`)).status, 202)
      await eventually('failing', async () => (await health(app)).failing_since !== null)
      await app.server.resume()
      app.server.behave(() => undefined)
      assert.equal((await app.call('POST', `/mails/${mail_id}/retry`)).status, 202)
      await eventually('sent', async () => (await only(app))?.status === 'sent')
      assert.equal((await only(app))?.attempt_count, 3)
    })

    it('wait for a server that cannot be reached, which is probed by one at a time, and arrive when it is back', async (t) => {
      const clock = stoppedClock()
      const app = await startMailing(t, engine, { clock })
      await app.server.stop()
      for (let n = 0; n < 20; n++) await queue(app, `person-${n}@example.com`)
      app.dispatch()
      await eventually('failing', async () => (await health(app)).failing_since !== null)
      await clock.settled()
      const before = await mailsOf(app)
      assert.ok(before.every(({ status, attempt_count }) => status === 'waiting' && attempt_count === 0))
      assert.ok(before.some(({ error }) => error === 'connection_failed'))
      const { body: state } = await app.call('GET', '/mails/server')
      assert.deepEqual([state.configured, state.sender], [true, 'Orchard <no-reply@orchard.example>'])
      assert.deepEqual([state.waiting, state.failed, state.failing_since !== null], [20, 0, true])
      assert.ok(Date.parse(state.next_attempt_at) > clock())
      await app.server.resume()
      await clock.pass(5 * minute)
      await eventually('all', async () => (await mailsOf(app, '&status=sent')).length === 20)
      assert.equal(new Set(app.server.received.map(({ to }) => to[0])).size, 20)
      assert.equal(app.server.received.length, 20)
      assert.deepEqual(await health(app), { failure_count: 0, failing_since: null, paused_until: null })
    })

    it('keep their Message-ID when the connection breaks after the data, so that the second copy is recognized', async (t) => {
      const clock = stoppedClock()
      const app = await startMailing(t, engine, { clock })
      app.server.behave((stage, count) => (stage === 'data' && count === 0 ? 'drop' : undefined))
      app.dispatch()
      await queue(app)
      await eventually('an attempt', async () => (await only(app))?.attempt_count === 1)
      await clock.pass(minute)
      await eventually('sent', async () => (await only(app))?.status === 'sent')
      const ids = app.server.received.map(({ mail }) => mail.messageId)
      assert.deepEqual([ids.length, new Set(ids).size], [2, 1])
    })

    it('never reach another address than the plain one that was meant', async (t) => {
      const app = await startMailing(t, engine)
      app.dispatch()
      const hostile = ['jo@ex.com, e@x.com', '"jo@ex.com"@x.com', 'jo@x.com\r\nBcc: e@x.com', 'jo(c)@x.com']
      for (const address of hostile) {
        const response = await app.call('POST', '/mails/test', { body: { address } })
        assert.equal(response.status, 422, address)
      }
      const mail_id = await queue(app)
      await app.runSql(
        `UPDATE mails SET address = 'jo@ex.com, e@x.com', status = 'waiting' WHERE mail_id = '${mail_id}' AND status <> 'sent'`,
      )
      await eventually('over', async () => (await only(app))?.status !== 'waiting')
      assert.ok(app.server.received.every(({ to }) => to.length === 1 && to[0] === 'ada@example.com'))
    })

    it('are claimed by one node at a time, and by another when that one is gone', async (t) => {
      const clock = stoppedClock()
      const app = await startMailing(t, engine, { clock })
      await queue(app)
      const step = async () => {
        const input = { outcomes: [], room: 5, token_hashes: [], lease_ms: minute }
        const request = { actor: system, now: clock(), requestId: 'test' }
        return (await app.storage.change('mails.advance', input, request)).result
      }
      const first = await step()
      assert.equal(first.claimed.length, 1)
      assert.equal((await step()).claimed.length, 0)
      await clock.pass(minute)
      const second = await step()
      assert.equal(second.claimed.length, 1)
      // What the first node reports now came too late.
      const sent = { kind: 'sent' as const, error: null, response: '250 OK', isUncertain: false }
      const outcome = {
        mail_id: first.claimed[0]?.mail_id as string,
        claimed_until: first.claimed_until,
        token_hash: null,
        result: sent,
        spread: 0,
      }
      const request = { actor: system, now: clock(), requestId: 'test' }
      await app.storage.change(
        'mails.advance',
        { outcomes: [outcome], room: 0, token_hashes: [], lease_ms: minute },
        request,
      )
      assert.equal((await only(app))?.status, 'waiting')
      const late = { ...outcome, claimed_until: second.claimed_until }
      await app.storage.change(
        'mails.advance',
        { outcomes: [late], room: 0, token_hashes: [], lease_ms: minute },
        request,
      )
      assert.equal((await only(app))?.status, 'sent')
    })
  })
}

describe('the mail server', () => {
  it('is said to be missing, and no test message is accepted', async (t) => {
    const app = await start(t, anyEngine)
    const { body } = await app.call('GET', '/mails/server')
    const locales = ['en', 'de', 'ar']
    const none = { failing_since: null, next_attempt_at: null, waiting: 0, held: 0, failed: 0 }
    assert.deepEqual(body, { configured: false, sender: null, ...none, locales })
    const refused = await app.call('POST', '/mails/test', { body: { address: 'ada@example.com' } })
    assert.equal(refused.body.code, 'mail_not_configured')
  })

  it('is signed in to, and its refusal is the failure of the server, not of the message', async (t) => {
    const server = await startMailServer(t, { user: 'orchard', password: 'p@ss:w/rd' })
    const url = server.url.replace('p@ss:w/rd', 'p%40ss%3Aw%2Frd')
    const app = await startMailing(t, anyEngine, { env: { ROLLBOOK_SMTP_URL: url } })
    app.dispatch()
    await queue(app)
    await eventually('sent', async () => (await only(app))?.status === 'sent')
    const other = await startMailing(t, anyEngine, { env: { ROLLBOOK_SMTP_URL: url.replace('orchard:', 'mallory:') } })
    other.dispatch()
    await queue(other)
    await eventually('an error', async () => (await only(other))?.error === 'sign_in_refused')
    assert.equal((await only(other))?.attempt_count, 0)
  })

  it('must offer STARTTLS unless the URL says otherwise', async (t) => {
    const server = await startMailServer(t)
    const app = await startMailing(t, anyEngine, { env: { ROLLBOOK_SMTP_URL: `${server.url}?starttls=required` } })
    app.dispatch()
    await queue(app)
    await eventually('an error', async () => (await only(app))?.error === 'tls_failed')
    assert.equal(server.transfers(), 0)
  })
})

async function health(app: Mailing) {
  const [row] = await app.runSql('SELECT failure_count, failing_since, paused_until FROM mail_servers')
  return row as { failure_count: number; failing_since: string | null; paused_until: string | null }
}
