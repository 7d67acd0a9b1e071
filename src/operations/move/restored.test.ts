import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { runCommand } from '../../../test/command-process.ts'
import { makePlace, startService } from '../../../test/durability/process.ts'
import { everyEngine } from '../../../test/harness.ts'
import { startMailServer } from '../../../test/mails/mail-server.ts'
import { mailEnv } from '../../../test/mails/mailing.ts'
import { eventually, inward } from '../../../test/webhooks/dispatching.ts'
import { startReceiver } from '../../../test/webhooks/receiver.ts'

const password = 'a long walk by the sea'

for (const engine of everyEngine) {
  describe(`a store that comes from elsewhere, on ${engine.name}`, () => {
    it('sends nothing of before, ends what it let in, and in a trial leaves nothing at all', {
      timeout: 240_000,
    }, async (t) => {
      const place = await makePlace(t, engine)
      const mails = await startMailServer(t)
      let isUp = false
      mails.behave((stage) => (isUp || stage !== 'rcpt' ? undefined : { code: 450, text: 'later' }))
      const receiver = await startReceiver(t, () => (isUp ? 200 : 500))
      const settings = { ...place.env, ...mailEnv, ...inward, ROLLBOOK_SMTP_URL: mails.url }
      const serve = () => startService(t, { directory: place.directory, env: settings })
      const json = async (response: Promise<Response>) => (await (await response).json()) as Record<string, never>
      const command = (...args: string[]) => runCommand(args, { ...settings, ROLLBOOK_DATA_DIR: place.directory })

      const before = await serve()
      await before.call('POST', '/webhooks', { url: receiver.url })
      for (let i = 0; i < 5; i++) {
        const user = { username: `invited-${i}`, email: `invited-${i}@example.com` }
        assert.equal((await before.call('POST', '/users', { ...user, invite: 'true' })).status, 201)
      }
      const { user_id } = await json(before.call('POST', '/users', { username: 'ada', password }))
      const signedIn = await before.call('POST', '/sessions', { username: 'ada', password })
      const cookie = signedIn.headers.getSetCookie().map((line) => line.split(';', 1)[0])[0] as string
      const { url: link } = await json(before.call('POST', `/users/${user_id}/password-reset`, { send: false }))
      const { feed_id } = await json(before.call('GET', '/events?limit=1'))
      const { cursor: revoked } = await json(before.call('GET', '/revocations'))
      await eventually('attempts', () => receiver.received.length > 0)
      await before.end('SIGTERM')
      const [tried, reached] = [receiver.received.length, mails.received.length]
      isUp = true

      const trial = await command('restored', '--trial', '--yes')
      assert.equal(trial.code, 0, trial.err)
      assert.match(
        trial.err,
        /1 session.* ended\.\n1 link in messages no longer works.*\n5 messages that waited are held/,
      )
      assert.match(trial.err, /webhook deliver(y|ies) waited and will not be sent\.\nThis is a trial/)
      const inTrial = await serve()
      const deployment = await json(inTrial.call('GET', '/deployment'))
      assert.ok(JSON.stringify(deployment.warnings).includes('trial_store'))
      await inTrial.call('POST', '/users', { username: 'in-trial', email: 'in-trial@example.com', invite: 'true' })
      const saml = { kind: 'saml', name: 'Acme', metadata_url: 'https://idp.example/metadata' }
      const { code } = await json(inTrial.call('POST', '/connections', saml))
      assert.equal(code, 'trial_store')
      await sleep(2500)
      assert.deepEqual([receiver.received.length, mails.received.length], [tried, reached])
      await inTrial.end('SIGTERM')

      const restored = await command('restored', '--yes')
      assert.equal(restored.code, 0, restored.err)
      const after = await serve()
      assert.equal((await fetch(`${after.url}/me`, { headers: { cookie } })).status, 401)
      const page = await fetch(`${after.url}${new URL(String(link)).pathname.replace(/^\/auth/, '')}`)
      assert.match(await page.text(), /restored from a backup/)
      const feed = await json(after.call('GET', '/events?limit=1'))
      assert.notEqual(feed.feed_id, feed_id)
      const { cursor: revokedNow } = await json(after.call('GET', '/revocations'))
      assert.ok(Number(revokedNow) > Number(revoked) + 1_000_000_000)
      await after.call('POST', '/users', { username: 'since' })
      await eventually('the event', () => receiver.received.length > tried)
      await sleep(2500)
      const types = receiver.received.slice(tried).map(({ event }) => event.type)
      assert.deepEqual([types, mails.received.length], [['user.created'], reached])

      const server = await json(after.call('GET', '/mails/server'))
      assert.deepEqual([server.held, server.waiting], [5, 0])
      assert.deepEqual(await json(after.call('POST', '/mails/release?dry_run=true')), { released: 5 })
      const held = (await (await after.call('GET', '/mails?status=held')).json()) as { mail_id: string }[]
      const discarded = after.call('POST', '/mails/discard', { mail_ids: [held[0]?.mail_id] })
      assert.deepEqual(await json(discarded), { discarded: 1 })
      assert.deepEqual(await json(after.call('POST', '/mails/release')), { released: 4 })
      await eventually('the messages', () => mails.received.length === reached + 4, 20_000)
      const invitation = /http:\/\/orchard\.example\/auth(\/invitation\/[\w-]+)/.exec(
        mails.received.at(-1)?.mail.text ?? '',
      )?.[1]
      assert.match(await (await fetch(`${after.url}${invitation}`)).text(), /name="new_password"/)
      const records = (await (await after.call('GET', '/audit?action=store.restored')).json()) as { details: object }[]
      assert.deepEqual(
        records.map(({ details }) => (details as { mails_held: number }).mails_held),
        [5, 5],
      )
    })
  })
}

/** Where connections to other systems begin, and why the trial of a backup makes none of them. */
const ways = {
  'access/pages/gateway/product-client.ts': 'ROLLBOOK_UPSTREAM does not count in a trial',
  'access/providers/ldap/secure-socket.ts': 'protocols.ts loads no protocol in a trial',
  'access/providers/oidc/provider-tokens.ts': 'the same',
  'access/providers/provider-calls/guarded-fetch.ts': 'the same: OpenID Connect, SAML, GitHub',
  'access/credentials/trusted-issuers/key-source.ts': 'ROLLBOOK_TRUSTED_ISSUERS does not count in a trial',
  'app/embedded/fetch.ts': 'requests to itself',
  'operations/doctor/probe.ts': 'a command of the operator',
  'operations/doctor/smtp-dialogue.ts': 'a command of the operator',
  'record/mails/sending/smtp.ts': 'ROLLBOOK_SMTP_URL does not count in a trial',
  'http/outgoing/agent.ts': 'no dispatcher is started in a trial',
  'record/webhooks/send.ts': 'the same',
}

describe('everything that leaves a node', () => {
  it('is known, so that the trial of a backup can be kept from it', () => {
    const root = join(import.meta.dirname, '../..')
    const begins =
      /import (?!type)\{[^}]*\b(?<!type )(request|connect|Agent|createRemoteJWKSet)\b[^}]*\} from '(?!\.)|\{[^}]*\brequest\b[^}]*\} from '.*node-http\.ts'|import\('nodemailer'\)/
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => /(?<!\.test)\.ts$/.test(name) && !/^(cli|sdk)\//.test(name))
      .filter((name) => begins.test(readFileSync(join(root, name), 'utf8')))
    assert.deepEqual(files.toSorted(), Object.keys(ways).toSorted())
  })
})
