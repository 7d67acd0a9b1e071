import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newestRecord, recordsOf } from '../../../test/audit-records.ts'
import { createUser, type Engine, engines, type Started } from '../../../test/harness.ts'
import { type Mailing, mailsOf, startMailing } from '../../../test/mails/mailing.ts'
import { password, signIn } from '../../../test/people.ts'
import { stoppedClock } from '../../../test/stopped-clock.ts'
import { eventually } from '../../../test/webhooks/dispatching.ts'

const day = 86_400_000
const chosen = 'a moth in relay seventy'

type Line = { type: string; username?: string; verdict?: string; code?: string; url?: string; expires_at?: string }

async function bulk(app: Started, body: object, query = '') {
  const response = await app.call('POST', `/users/bulk${query}`, { body: { action: 'invite', ...body } })
  assert.equal(response.status, 200, response.text)
  const lines = response.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
  return { rows: lines.filter(({ type }) => type === 'row'), end: lines.at(-1) as object, headers: response.headers }
}

async function bring(app: Started, body: string, query = '', type = 'text/csv') {
  const response = await app.call('POST', `/users/import${query}`, { body, headers: { 'content-type': type } })
  assert.equal(response.status, 200, response.text)
  return response.body
}

async function choose(app: Started, url: string) {
  const { pathname } = new URL(url)
  return app.call('POST', pathname.replace('/auth', ''), {
    key: null,
    body: new URLSearchParams({ new_password: chosen }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
  })
}

const linkIn = (text = ''): string => /http:\/\/orchard\.example\/auth\/invitation\/[\w-]{43}/.exec(text)?.[0] ?? ''

async function linksMailed(app: Mailing, count: number): Promise<Map<string, string>> {
  await eventually(`${count} messages`, () => app.server.received.length >= count, 60_000)
  assert.equal(app.server.received.length, count)
  return new Map(app.server.received.map(({ to, mail }) => [to[0] as string, linkIn(mail.text)]))
}

const names = async (app: Started, query: string): Promise<string[]> =>
  (await app.call('GET', `/users?${query}`)).body.map(({ username }: { username: string }) => username)

const open = (t: Parameters<typeof startMailing>[0], engine: Engine, env = {}) =>
  startMailing(t, engine, { env: { ROLLBOOK_RATE_LIMIT: '0', ...env } })

for (const engine of engines) {
  describe(`invitations for many on ${engine.name}`, () => {
    it('reach every user without a password, by ids and by a filter, and say why others get none', async (t) => {
      const app = await open(t, engine)
      const ids: unknown[] = []
      for (const username of ['ada', 'bob']) {
        ids.push((await createUser(app, { username, email: `${username}@example.com` })).user_id)
      }
      ids.push((await createUser(app, { username: 'has', password, email: 'has@example.com' })).user_id)
      const { user_id: off } = await createUser(app, { username: 'off', email: 'off@example.com' })
      await app.call('PATCH', `/users/${off}`, { body: { active: false } })
      const before = await newestRecord(app)
      const dry = await bulk(app, { user_ids: [...ids, off] }, '?dry_run=true')
      const notified = ({ rows }: { rows: Line[] }) =>
        rows.map(({ username, verdict, code }) => [username, verdict, code])
      const expected = [
        ['ada', 'changed', undefined],
        ['bob', 'changed', undefined],
        ['has', 'refused', 'user_not_invitable'],
        ['off', 'refused', 'user_not_invitable'],
      ]
      assert.deepEqual(notified(dry), expected)
      assert.deepEqual([await mailsOf(app), await names(app, 'invited=true')], [[], []])
      const real = await bulk(app, { user_ids: [...ids, off] })
      assert.deepEqual(notified(real), expected)
      assert.equal(real.headers['cache-control'], 'no-store')
      assert.ok(real.rows.every(({ url }) => url === undefined))
      const records = await recordsOf(app, before)
      assert.deepEqual(
        records.map(({ action, target }) => [action, target?.name]),
        [
          ['invitation.created', 'ada'],
          ['invitation.created', 'bob'],
        ],
      )
      await createUser(app, { username: 'eve', email: 'eve@example.com' })
      const rest = await bulk(app, { filter: { has_password: false, active: true } })
      assert.deepEqual(notified(rest), [
        ['ada', 'unchanged', undefined],
        ['bob', 'unchanged', undefined],
        ['eve', 'changed', undefined],
      ])
      app.dispatch()
      const links = await linksMailed(app, 3)
      for (const [address, url] of links) {
        assert.equal((await choose(app, url)).status, 200, address)
        assert.equal((await signIn(app, address, chosen)).status, 201)
      }
      assert.deepEqual(await names(app, 'invited=true'), [])
    })

    it('are returned as links where no message is sent, once, also if only refused users have lines', async (t) => {
      const app = await open(t, engine)
      await createUser(app, { username: 'ada', email: 'ada@example.com' })
      await createUser(app, { username: 'no.address' })
      const { rows } = await bulk(app, { filter: {} }, '?rows=refused')
      assert.deepEqual(
        rows.map(({ username }) => username),
        ['no.address'],
      )
      const request = { action: 'invite', filter: {}, send: false, resend: true }
      const options = { body: request, headers: { 'idempotency-key': 'one' } }
      const first = (await app.call('POST', '/users/bulk', options)).text
      assert.equal(first.match(/"url":/g)?.length, 2)
      const again = await app.call('POST', '/users/bulk', options)
      assert.doesNotMatch(again.text, /url/)
      const stored = `${await app.stored()}${app.logLines().join('\n')}`
      for (const [url] of first.matchAll(/http:[^"]+/g)) {
        assert.ok(!stored.includes(url.slice(-43)), 'the token stands nowhere')
        assert.equal((await choose(app, url)).status, 200)
      }
      assert.deepEqual(
        (await mailsOf(app)).map(({ status }) => status),
        ['cancelled'],
      )
      assert.equal((await choose(app, rows[0]?.url ?? '')).status, 410)
    })

    it('refuse send and resend with other actions, and more than five messages per hour and address', async (t) => {
      const app = await open(t, engine)
      for (const member of ['send', 'resend']) {
        const body = { action: 'delete', filter: {}, [member]: true }
        const { status, body: problem } = await app.call('POST', '/users/bulk', { body })
        assert.deepEqual([status, problem.errors[0].pointer], [422, `#/${member}`])
      }
      const { user_id } = await createUser(app, { username: 'ada', email: 'ada@example.com' })
      for (let n = 0; n < 5; n++) await bulk(app, { user_ids: [user_id], resend: true })
      for (const query of ['', '?dry_run=true']) {
        const { rows } = await bulk(app, { user_ids: [user_id], resend: true }, query)
        assert.deepEqual([rows[0]?.verdict, rows[0]?.code], ['refused', 'too_many_mails'])
      }
      const { rows } = await bulk(app, { user_ids: [user_id], resend: true, send: false })
      assert.match(rows[0]?.url ?? '', /invitation/)
    })
  })

  describe(`an import with invitations on ${engine.name}`, () => {
    it('queues a message for each user in the commit of the row, and none for who has a password', async (t) => {
      const app = await open(t, engine)
      await createUser(app, { username: 'known', email: 'known@example.com' })
      await createUser(app, { username: 'has', password, email: 'has@example.com' })
      const before = await newestRecord(app)
      const file = `username,email,invite,locale
ada,ada@example.com,true,de
bob,bob@example.com,false,
eve,eve@example.com,,
known,known@example.com,true,
has,has@example.com,true,
nowhere,,true,`
      const dry = await bring(app, file, '?mode=update&dry_run=true')
      assert.deepEqual([dry.created, dry.updated, dry.unchanged], [4, 1, 1])
      assert.deepEqual([await mailsOf(app), await names(app, 'invited=true')], [[], []])
      const done = await bring(app, file, '?mode=update')
      assert.deepEqual([done.created, done.updated, done.unchanged], [4, 1, 1])
      assert.deepEqual((await names(app, 'invited=true')).sort(), ['ada', 'known', 'nowhere'])
      const queued = (await mailsOf(app)).map(({ address, kind, status }) => [address, kind, status])
      assert.deepEqual(queued.sort(), [
        ['ada@example.com', 'invitation', 'waiting'],
        ['known@example.com', 'invitation', 'waiting'],
      ])
      const records = (await recordsOf(app, before)).filter(({ target }) => target?.name === 'ada')
      const details = records[0]?.details as { invitation: object; import_id: string } | undefined
      assert.deepEqual([records.length, details?.import_id], [1, done.job_id])
      assert.deepEqual(Object.keys(details?.invitation ?? {}), ['expires_at', 'sent', 'shown'])
      // The same file again invites no user again.
      const again = await bring(app, file, '?mode=update')
      assert.deepEqual([again.created, again.updated, again.unchanged], [0, 0, 6])
      assert.equal((await mailsOf(app)).length, 2)
      app.dispatch()
      const links = await linksMailed(app, 2)
      assert.equal((await choose(app, links.get('ada@example.com') as string)).status, 200)
      assert.match(
        String(app.server.received.find(({ to }) => to[0] === 'ada@example.com')?.mail.subject),
        /eingeladen/,
      )
      const { rows } = await bulk(app, { filter: { invited: true }, send: false, resend: true })
      assert.equal((await choose(app, rows.find(({ username }) => username === 'nowhere')?.url ?? '')).status, 200)
    })

    it('takes lines of JSON, and rejects an invitation beside a password or for a disabled user', async (t) => {
      const app = await open(t, engine)
      const rows = [
        { username: 'ada', email: 'ada@example.com', invite: true },
        { username: 'bob', invite: true, password },
        { username: 'off', invite: true, active: false },
        { username: 'odd', invite: 'yes' },
        { username: 'eve', invite: false, invited: true },
      ]
      const file = rows.map((row) => JSON.stringify(row)).join('\n')
      const done = await bring(app, file, '', 'application/x-ndjson')
      assert.equal(done.created, 2)
      const why = done.rejects.map(({ row, pointer }: { row: number; pointer: string }) => [row, pointer])
      assert.deepEqual(why, [
        [2, '#/invite'],
        [3, '#/invite'],
        [4, '#/invite'],
      ])
      assert.deepEqual(await names(app, 'invited=true'), ['ada'])
    })

    it('brings a new address and an invitation to it in one row', async (t) => {
      const app = await open(t, engine)
      const { user_id } = await createUser(app, { username: 'ada', email: 'old@example.com' })
      await bulk(app, { user_ids: [user_id] })
      const file = 'username,email,invite\nada,new@example.com,true'
      assert.equal((await bring(app, file, '?mode=update')).updated, 1)
      app.dispatch()
      await eventually('the message', () => app.server.received.some(({ to }) => to[0] === 'new@example.com'))
      const sent = app.server.received.filter(({ mail }) => linkIn(mail.text) !== '')
      assert.deepEqual(
        sent.map(({ to }) => to[0]),
        ['new@example.com'],
      )
      assert.equal((await choose(app, linkIn(sent[0]?.mail.text))).status, 200)
      const { body: user } = await app.call('GET', `/users/${user_id}`)
      assert.deepEqual([user.email_verified, user.invited], [true, undefined])
    })

    it('invites ten thousand users with one file, each with a row in the outbox', async (t) => {
      const clock = stoppedClock()
      const app = await startMailing(t, engine, { env: { ROLLBOOK_RATE_LIMIT: '0' }, clock })
      const rows = Array.from({ length: 10_000 }, (_, n) => `many-${n},many-${n}@example.com,true`)
      const startedAt = performance.now()
      const done = await bring(app, `username,email,invite\n${rows.join('\n')}`)
      t.diagnostic(`10,000 invitations in ${Math.round(performance.now() - startedAt)} ms`)
      assert.equal(done.created, 10_000)
      const [counts] = await app.runSql(`
        SELECT count(*) AS mails, count(DISTINCT user_id) AS users, count(DISTINCT link_id) AS links FROM mails
        WHERE status = 'waiting'`)
      assert.deepEqual(Object.values(counts ?? {}).map(Number), [10_000, 10_000, 10_000])
      await clock.pass(8 * day)
      const found = await app.call('GET', '/users?invited=true&limit=1&count=true')
      assert.equal(found.headers['total-count'], '10000')
    })
  })
}
