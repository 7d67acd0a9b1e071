import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createUser, type Engine, engines, type Started, start } from '../../../test/harness.ts'
import { mailEnv, mailsOf } from '../../../test/mails/mailing.ts'
import { createPerson, openBrowser } from '../../../test/people.ts'
import { stoppedClock } from '../../../test/stopped-clock.ts'
import { makeKey } from '../../../test/tokens/parts.ts'
import { system } from '../../core/actor.ts'
import { jobs } from './jobs.ts'
import type { Review, ReviewRow } from './schema.ts'
import { findBrokenSeals } from './seal.ts'

const env = { ROLLBOOK_ROLES: '{"support": ["users:read"], "lead": ["users:read"]}', ROLLBOOK_RATE_LIMIT: '0' }
const hourMs = 3_600_000

type Begun = { app: Started; clock: ReturnType<typeof stoppedClock>; review: Review; rows: Record<string, ReviewRow> }

/** A review of ada (support, and in a group with a role), bob (admin) and root (admin). */
async function beginReview(t: TestContext, engine: Engine, members: object = {}): Promise<Begun> {
  const clock = stoppedClock()
  const app = await start(t, engine, { env, clock })
  const [ada] = [
    await createUser(app, { username: 'ada', role: 'support' }),
    await createPerson(app, { username: 'bob', role: 'admin' }),
    await createPerson(app, { username: 'root', role: 'admin' }),
  ]
  const group = (await app.call('POST', '/groups', { body: { name: 'Desk', role: 'lead' } })).body
  await app.call('PUT', `/groups/${group.group_id}/members/${ada.user_id}`)
  const due_at = new Date(clock() + hourMs).toISOString()
  const { status, body, text } = await app.call('POST', '/reviews', { body: { name: 'Q4', due_at, ...members } })
  assert.equal(status, 201, text)
  return { app, clock, review: body, rows: await rowsOf(app, body.review_id) }
}

/** By the name and the source. */
async function rowsOf(app: Started, reviewId: string): Promise<Record<string, ReviewRow>> {
  const rows = (await app.call('GET', `/reviews/${reviewId}/rows`)).body as ReviewRow[]
  return Object.fromEntries(rows.map((row) => [`${row.username} ${row.source}`, row]))
}

const decide = (
  { app, review }: Pick<Begun, 'app' | 'review'>,
  rows: (ReviewRow | undefined)[],
  decision: 'keep' | 'remove',
  sent: object = {},
) =>
  app.call('POST', `/reviews/${review.review_id}/decisions`, {
    body: { row_ids: rows.map((row) => row?.row_id), decision, comment: 'why' },
    ...sent,
  })

const roleOf = async (app: Started, { user_id }: { user_id: string }) =>
  (await app.call('GET', `/users/${user_id}`)).body.role

for (const engine of engines) {
  describe(`an access review on ${engine.name}`, () => {
    it('freezes the report; removing takes the access away at once, and keeping gives it back', async (t) => {
      const begun = await beginReview(t, engine)
      const { app, review, rows } = begun
      assert.deepEqual(Object.keys(rows).sort(), ['ada group', 'ada role', 'bob role', 'root role'])
      assert.deepEqual([review.state, review.row_count, review.counts.open], ['open', 4, 4])
      const ada = rows['ada role'] as ReviewRow
      const tried = await app.call('POST', `/reviews/${review.review_id}/decisions?dry_run=true`, {
        body: { row_ids: [ada.row_id], decision: 'remove' },
      })
      assert.deepEqual([tried.body.rows?.[0].state, await roleOf(app, ada)], ['removed', 'support'], tried.text)
      const both = await decide(begun, [ada, rows['ada group']], 'remove')
      assert.deepEqual(
        both.body.rows.map(({ state }: { state: string }) => state),
        ['removed', 'removed'],
      )
      assert.equal(await roleOf(app, ada), 'user')
      assert.deepEqual((await app.call('GET', `/users/${ada.user_id}/groups`)).body, [])
      assert.deepEqual((await app.call('GET', `/access?q=ada`)).body, [])
      const back = await decide(begun, [ada, rows['ada group']], 'keep')
      assert.deepEqual(back.body.counts, { open: 2, kept: 2, removed: 0, changed_meanwhile: 0 })
      assert.equal(await roleOf(app, ada), 'support')
      assert.equal((await app.call('GET', `/users/${ada.user_id}/groups`)).body.length, 1)
      // What changed since the review began is not decided about.
      await app.call('PATCH', `/users/${ada.user_id}`, { body: { role: 'lead' } })
      assert.equal((await decide(begun, [ada], 'remove')).body.rows[0].state, 'changed_meanwhile')
      assert.equal(await roleOf(app, ada), 'lead')
      const { body: audit } = await app.call('GET', `/audit?target=${review.review_id}`)
      const actions = audit.map(({ action }: { action: string }) => action)
      assert.deepEqual([...new Set(actions)].sort(), ['review.created', 'review.decided'])
    })

    it('obeys the rules of any change: rank, the last administrator, one own access, and named reviewers', async (t) => {
      const begun = await beginReview(t, engine)
      const { app, review, rows } = begun
      const last = await decide(begun, [rows['bob role'], rows['root role'], rows['ada role']], 'remove')
      assert.deepEqual(
        last.body.rows.map(({ state, code }: { state: string; code?: string }) => [state, code]),
        [
          ['removed', undefined],
          ['open', 'last_admin'],
          ['removed', undefined],
        ],
      )
      await decide(begun, [rows['bob role']], 'keep')
      const root = await openBrowser(app, 'root')
      const at = `/reviews/${review.review_id}/decisions`
      const own = await root.call('POST', at, { body: { row_ids: [rows['root role']?.row_id], decision: 'remove' } })
      assert.equal(own.body.rows?.[0].code, 'own_access', own.text)
      const { key } = await makeKey(app, ['reviews:write', 'reviews:read'])
      const outranked = await decide(begun, [rows['bob role']], 'remove', { key })
      assert.equal(outranked.body.rows[0].code, 'user_outranks_caller')
      const named = await app.call('PATCH', `/reviews/${review.review_id}`, {
        body: { reviewers: [rows['root role']?.user_id] },
      })
      assert.equal(named.status, 200, named.text)
      assert.equal((await decide(begun, [rows['bob role']], 'keep')).body.code, 'not_a_reviewer')
      const allowed = await root.call('POST', at, { body: { row_ids: [rows['bob role']?.row_id], decision: 'keep' } })
      assert.equal(allowed.body.rows?.[0].state, 'kept', allowed.text)
      // A review whose reviewers cannot decide any more does not wait for them.
      const rootId = rows['root role']?.user_id
      assert.equal((await app.call('PATCH', `/users/${rootId}`, { body: { role: 'support' } })).status, 200)
      assert.equal((await decide(begun, [rows['bob role']], 'keep')).body.rows?.[0].state, 'kept')
      assert.equal((await app.call('DELETE', `/users/${rootId}`)).status, 200)
      assert.equal((await decide(begun, [rows['bob role']], 'keep')).body.rows?.[0].state, 'kept')
    })

    it('closes once, with a seal that a later change of a row breaks and an erasure does not', async (t) => {
      const begun = await beginReview(t, engine)
      const { app, clock, review, rows } = begun
      const at = `/reviews/${review.review_id}`
      await decide(begun, [rows['ada role']], 'keep')
      const closed = await app.call('PATCH', at, { body: { state: 'closed' } })
      assert.deepEqual([closed.status, closed.body.state], [200, 'closed'])
      assert.match(closed.body.digest, /^[0-9a-f]{64}$/)
      const [record] = (await app.call('GET', `/audit?target=${review.review_id}&action=review.closed`)).body
      assert.deepEqual([record.details.digest, record.details.kept], [closed.body.digest, 1])
      for (const again of [
        await app.call('PATCH', at, { body: { state: 'closed' } }),
        await decide(begun, [rows['bob role']], 'keep'),
      ]) {
        assert.deepEqual([again.status, again.body.code], [409, 'review_closed'])
      }
      const page = await app.call('GET', `${at}/rows`, { headers: { accept: 'text/html' } })
      for (const text of [closed.body.digest, 'Access review: Q4', 'ada', 'why', 'Not decided']) {
        assert.ok(page.text.includes(text), text)
      }
      const csv = await app.call('GET', `${at}/rows?state=kept`, { headers: { accept: 'text/csv' } })
      assert.equal(csv.text.trim().split('\r\n').length, 2)
      assert.deepEqual(await findBrokenSeals(app.storage.db), [])
      // Who has no access any more is marked.
      const [expires_at, due_at] = [0, hourMs].map((ms) => new Date(clock() + ms).toISOString())
      await app.call('PATCH', `/users/${rows['bob role']?.user_id}`, { body: { expires_at } })
      const later = (await app.call('POST', '/reviews', { body: { name: 'Later', due_at } })).body
      const marked = await app.call('GET', `/reviews/${later.review_id}/rows`, { headers: { accept: 'text/html' } })
      assert.match(marked.text, /<td>bob \(expired\)<\/td>/)
      // An erasure takes the names, and not the decisions.
      const erased = await app.call('DELETE', `/users/${rows['ada role']?.user_id}?purge=true`)
      assert.ok([200, 202].includes(erased.status), erased.text)
      await app.runSql(`UPDATE review_rows SET state = state WHERE review_id = '${review.review_id}'`)
      await app.runSql(
        `UPDATE review_rows SET state = 'kept' WHERE review_id = '${review.review_id}' AND state = 'open'`,
      )
      const broken = await findBrokenSeals(app.storage.db)
      assert.equal(broken.length, 2, broken.join('\n'))
    })

    it('is due once: what is open is reported, and removed only if the review says so', async (t) => {
      for (const remove_open of [false, true]) {
        const { app, clock, review, rows } = await beginReview(t, engine, { remove_open, filter: { q: 'ada' } })
        assert.deepEqual(Object.keys(rows).sort(), ['ada group', 'ada role'])
        const run = async () => {
          const request = {
            actor: { kind: 'system', id: 'system', name: 'Rollbook', permissions: ['*'] },
            now: clock(),
            requestId: 'due',
          }
          for (const job of jobs.deleting ?? []) await job({ storage: app.storage, request } as never)
        }
        await run()
        await clock.pass(hourMs)
        await run()
        await run()
        const records = (await app.call('GET', `/audit?target=${review.review_id}&action=review.due`)).body
        assert.equal(records.length, 1)
        const counts = (await app.call('GET', `/reviews/${review.review_id}`)).body.counts
        assert.deepEqual([counts.open, counts.removed], remove_open ? [0, 2] : [2, 0])
        assert.equal(await roleOf(app, rows['ada role'] as ReviewRow), remove_open ? 'user' : 'support')
      }
    })

    it('reminds those who can decide 7 days and 1 day before, once each, while rows are open', async (t) => {
      const clock = stoppedClock()
      const app = await start(t, engine, { env: { ...mailEnv, ...env }, clock })
      const people: Record<string, string> = {}
      for (const username of ['ada', 'bob']) {
        const person = { username, email: `${username}@example.com`, role: 'admin' }
        people[username] = (await createPerson(app, person)).user_id
      }
      const createDueIn = async (name: string, days: number, reviewers: string[] = []) => {
        const due_at = new Date(clock() + days * 24 * hourMs).toISOString()
        const begun = await app.call('POST', '/reviews', { body: { name, due_at, reviewers } })
        assert.equal(begun.status, 201, begun.text)
        return begun.body.review_id as string
      }
      const sent = async () => {
        const request = { actor: system, now: clock(), requestId: 'remind' }
        for (let runs = 0; runs < 2; runs++)
          for (const job of jobs.deleting ?? []) await job({ storage: app.storage, request } as never)
        const mails = (await mailsOf(app, '&kind=review_due')) as { address: string }[]
        return mails
          .map(({ address }) => address.slice(0, 3))
          .toSorted()
          .join(' ')
      }
      await createDueIn('week', 9, [people.ada as string])
      await createDueIn('few', 5)
      const closed = await createDueIn('closed', 9)
      await createDueIn('hours', 0.5)
      assert.equal(await sent(), '')
      await app.call('PATCH', `/reviews/${closed}`, { body: { state: 'closed' } })
      await clock.pass(2 * 24 * hourMs)
      assert.equal(await sent(), 'ada', 'a week before, to the named reviewer')
      await clock.pass(2 * 24 * hourMs)
      assert.equal(await sent(), 'ada ada bob', 'a day before, to everybody who decides')
      // A reviewer who cannot decide any more is not asked.
      await app.call('PATCH', `/users/${people.ada}`, { body: { role: 'support' } })
      await clock.pass(4 * 24 * hourMs)
      assert.equal(await sent(), 'ada ada bob bob')
      await clock.pass(2 * 24 * hourMs)
      assert.equal(await sent(), 'ada ada bob bob')
    })

    it('refuses what cannot be reviewed, and pages its rows', async (t) => {
      const { app, clock, review } = await beginReview(t, engine)
      const soon = new Date(clock() + hourMs).toISOString()
      for (const body of [
        { name: ' ', due_at: soon },
        { name: 'x', due_at: new Date(clock()).toISOString() },
        { name: 'x', due_at: soon, reviewers: [review.review_id] },
        { name: 'x', due_at: soon, filter: { unknown: 1 } },
      ]) {
        assert.equal((await app.call('POST', '/reviews', { body })).status, 422, JSON.stringify(body))
      }
      const first = await app.call('GET', `/reviews/${review.review_id}/rows?limit=3`)
      const next = /rows\?([^>]+)>; rel="next"/.exec(String(first.headers.link))?.[1]
      const rest = await app.call('GET', `/reviews/${review.review_id}/rows?${next}`)
      assert.deepEqual([first.body.length, rest.body.length, rest.headers.link], [3, 1, undefined])
      assert.equal(
        (await app.call('GET', `/reviews/${review.review_id}/rows?limit=1&cursor=x`)).body.code,
        'bad_cursor',
      )
      const ids = (await app.call('GET', '/reviews')).body.map(({ review_id }: Review) => review_id)
      assert.deepEqual(ids, [review.review_id])
    })
  })
}
