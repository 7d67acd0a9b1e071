import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { recordsOf } from '../../../test/audit-records.ts'
import { type Engine, engines, type Started, start } from '../../../test/harness.ts'
import { mailEnv, mailsOf } from '../../../test/mails/mailing.ts'
import { createPerson, openBrowser } from '../../../test/people.ts'
import { connectTo } from '../../../test/scim/provider.ts'
import { stoppedClock } from '../../../test/stopped-clock.ts'
import { system } from '../../core/actor.ts'
import { timestamp } from '../../lib/instant.ts'
import { groupUrn, patchOpUrn } from '../../scim/protocol/urns.ts'

const roles = { helper: ['users:read'], root: ['*'] }
const env = { ...mailEnv, ROLLBOOK_ROLES: JSON.stringify(roles), ROLLBOOK_RATE_LIMIT: '0' }
const [second, minute, day] = [1000, 60_000, 86_400_000]

/** Two nodes on PostgreSQL; on SQLite there is one. */
async function open(t: TestContext, engine: Engine) {
  const clock = stoppedClock()
  const app = await start(t, engine, { env, clock })
  const other = app.database ? await start(t, engine, { env, clock, beside: app }) : app
  const at = (ms: number) => timestamp(clock() + ms)
  const ok = async (method: string, path: string, body?: object) => {
    const response = await app.call(method, path, body && { body })
    assert.ok(response.status < 300, `${method} ${path} ${response.text}`)
    return response.body
  }
  const newGroup = async (name: string, role: string | null = null): Promise<string> =>
    (await ok('POST', '/groups', { name, role })).group_id
  const put = (group: string, user: string, body?: object) => ok('PUT', `/groups/${group}/members/${user}`, body)
  const removeEnded = (node = app) =>
    node.storage.change('groups.remove_ended', undefined, { actor: system, now: clock(), requestId: 'test' })
  const endOf = async (group: string, user: string) =>
    (await ok('GET', `/users/${user}/groups`)).find((one: { group_id: string }) => one.group_id === group)?.expires_at
  return { app, other, clock, at, ok, newGroup, put, removeEnded, endOf }
}

const claimsOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
const codes = async (calls: Promise<{ status: number; body: { code?: string } }>[]) =>
  (await Promise.all(calls)).map(({ status, body }) => [status, body.code])

for (const engine of engines) {
  describe(`end dates of memberships on ${engine.name}`, () => {
    it('end what a membership gives at the instant, on every node, without a job', async (t) => {
      const { app, other, clock, at, ok, newGroup, put, removeEnded, endOf } = await open(t, engine)
      const [helpers, plain] = [await newGroup('Helpers', 'helper'), await newGroup('Plain')]
      const { user_id, username } = await createPerson(app)
      const browser = await openBrowser(app, username)
      const { key } = (await browser.call('POST', '/me/keys', { body: { name: 'laptop', permissions: [] } })).body
      const end = at(2 * minute)
      assert.equal((await put(helpers, user_id, { expires_at: end })).expires_at, end)
      await put(plain, user_id)
      const session = { key: null, headers: { cookie: browser.cookie, 'sec-fetch-site': 'same-origin' } }
      const helperKey = (
        await app.call('POST', '/me/keys', { ...session, body: { name: 'k', permissions: ['users:read'] } })
      ).body.key
      const token = async (node: Started) => (await node.call('POST', '/token', session)).body.access_token as string
      assert.ok(claimsOf(await token(app)).exp <= Date.parse(end) / 1000)
      const seen = async (node: Started) => {
        const me = await node.call('GET', '/me', session)
        const headers = (await node.call('GET', '/verify/forward-auth', session)).headers
        const { permissions } = (await node.call('POST', '/introspect', { body: { token: helperKey } })).body
        return {
          groups: me.body.groups.map(({ name }: { name: string }) => name),
          session: (await node.call('GET', '/users?limit=1', session)).status,
          key: (await node.call('GET', '/users?limit=1', { key: helperKey })).status,
          forwardAuth: /Helpers/.test(String(headers['remote-groups'])),
          permissions,
        }
      }
      const before = {
        groups: ['Helpers', 'Plain'],
        session: 200,
        key: 200,
        forwardAuth: true,
        permissions: ['users:read'],
      }
      const after = { groups: ['Plain'], session: 403, key: 403, forwardAuth: false, permissions: [] }
      await clock.pass(2 * minute - second)
      for (const node of [app, other]) assert.deepEqual(await seen(node), before)
      const late = await token(other)
      await clock.pass(second)
      for (const node of [app, other]) assert.deepEqual(await seen(node), after)
      assert.equal(
        (await other.call('GET', '/users?limit=1', { key: null, headers: { authorization: `Bearer ${late}` } })).status,
        401,
      )
      assert.equal((await other.call('GET', '/me', { key })).status, 200)
      assert.deepEqual(claimsOf(await token(other)).permissions, [])

      // The job removes it once, whichever node is first.
      const { cursor } = await ok('GET', '/revocations')
      const done = await Promise.all([removeEnded(), removeEnded(other), removeEnded()])
      assert.equal(
        done.reduce((sum, { result }) => sum + result.removed, 0),
        1,
      )
      const { revocations } = await ok('GET', `/revocations?after=${cursor}`)
      assert.ok(revocations.some(({ id }: { id: string }) => id === user_id))
      assert.equal((await ok('GET', `/groups/${helpers}`)).member_count, 0)
      assert.deepEqual((await ok('GET', `/users?user_id=${user_id}&include=groups`))[0].effective_roles, ['user'])
      const records = (await recordsOf(app)).filter(({ action }) => action === 'group.member_removed')
      assert.deepEqual(
        records.map(({ actor, details }) => [actor.kind, details]),
        [['system', { group_id: helpers, group: 'Helpers', expires_at: end }]],
      )
      assert.equal(await endOf(plain, user_id), undefined)
      assert.deepEqual(await app.runSql('SELECT user_id FROM membership_ends'), [])
    })

    it('are set, kept, changed and removed, alone and for many, and shown where there are any', async (t) => {
      const { app, at, ok, newGroup, put, endOf } = await open(t, engine)
      const group = await newGroup('Project')
      const [ada, bob, eve] = await Promise.all([createPerson(app), createPerson(app), createPerson(app)])
      const csv = async () =>
        (await app.call('GET', `/groups/${group}/members`, { headers: { accept: 'text/csv' } })).text
      await put(group, ada.user_id)
      assert.doesNotMatch(await csv(), /membership_expires_at/)
      const [soon, later] = [at(day), at(9 * day)]
      assert.deepEqual(await put(group, ada.user_id, { expires_at: soon }), {
        group_id: group,
        user_id: ada.user_id,
        member: true,
        changed: true,
        expires_at: soon,
      })
      assert.equal((await put(group, ada.user_id)).changed, false)
      assert.equal(await endOf(group, ada.user_id), soon)
      const many = await ok('POST', `/groups/${group}/members`, { add: [ada.user_id, bob.user_id], expires_at: later })
      assert.deepEqual(
        many.results.map(({ result, before }: { result: string; before?: object }) => [result, before]),
        [
          ['changed', { expires_at: soon }],
          ['added', undefined],
        ],
      )
      assert.deepEqual([many.added, many.member_count], [1, 2])
      const members = await ok('GET', `/groups/${group}/members`)
      assert.deepEqual(
        members.map((one: { membership_expires_at?: string }) => one.membership_expires_at),
        [later, later],
      )
      assert.match(await csv(), /membership_expires_at/)
      const { events } = await ok('GET', '/events?type=group.member_added')
      const ofAda = events.filter(({ data }: { data: { user_id: string } }) => data.user_id === ada.user_id)
      assert.deepEqual(
        ofAda.map(({ data }: { data: { expires_at?: string } }) => data.expires_at),
        [undefined, soon, later],
      )
      const updates = (await recordsOf(app)).filter(({ action }) => action === 'group.member_updated')
      assert.deepEqual(
        updates.map(({ details }) => details?.expires_at),
        [soon, later],
      )
      assert.equal((await put(group, ada.user_id, { expires_at: null })).expires_at, undefined)
      // SCIM and an import that name the member leave the date; a removal takes it away.
      const { patch } = await connectTo(app)
      await patch(`/Groups/${group}`, { op: 'add', path: 'members', value: [{ value: bob.user_id }] })
      assert.equal(await endOf(group, bob.user_id), later)
      await ok('DELETE', `/groups/${group}/members/${bob.user_id}`)
      await put(group, bob.user_id)
      assert.equal(await endOf(group, bob.user_id), undefined)
      // In bulk, with the former date to undo it.
      const bulk = async (body: object) => {
        const lines = (await app.call('POST', '/users/bulk', { body })).text.trim().split('\n')
        return lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'row')
      }
      const added = await bulk({ action: 'add_to_group', group_id: group, user_ids: [eve.user_id], expires_at: soon })
      assert.deepEqual(
        [added[0].verdict, added[0].before, await endOf(group, eve.user_id)],
        ['changed', undefined, soon],
      )
      const [removed] = await bulk({ action: 'remove_from_group', group_id: group, user_ids: [eve.user_id] })
      assert.deepEqual(removed.before, { expires_at: soon })
      await bulk({ action: 'add_to_group', group_id: group, user_ids: [eve.user_id], ...removed.before })
      // A deletion and a restoration keep it; a date that passes meanwhile is not brought back.
      await ok('DELETE', `/users/${eve.user_id}`)
      await ok('POST', `/users/${eve.user_id}/restore`)
      assert.equal(await endOf(group, eve.user_id), soon)
      // A date in the past ends it at once.
      const past = await put(group, eve.user_id, { expires_at: at(-day) })
      assert.deepEqual([past.member, past.changed], [false, true])
      assert.equal((await put(group, eve.user_id, { expires_at: at(-day) })).changed, false)
      for (const body of [{ expires_at: '2026-13-01' }, { expires_at: '9999-12-31T23:59:59-14:00' }, { until: soon }]) {
        assert.equal((await app.call('PUT', `/groups/${group}/members/${ada.user_id}`, { body })).status, 422)
      }
      // With a group, its dates are gone.
      const brief = await newGroup('Brief')
      await put(brief, ada.user_id, { expires_at: soon })
      await ok('DELETE', `/groups/${brief}`)
      assert.deepEqual(await app.runSql('SELECT user_id FROM membership_ends'), [])
      const lonely = await app.call('POST', `/groups/${group}/members`, {
        body: { remove: [ada.user_id], expires_at: soon },
      })
      assert.equal(lonely.body.errors?.[0].pointer, '#/expires_at', lonely.text)
    })

    it('are in the report, and in the reviews that give a membership back', async (t) => {
      const { app, clock, at, ok, newGroup, put, endOf, removeEnded } = await open(t, engine)
      const group = await newGroup('Helpers', 'helper')
      const { user_id } = await createPerson(app)
      const end = at(day)
      await put(group, user_id, { expires_at: end })
      const [row] = await ok('GET', `/access?user_id=${user_id}`)
      assert.deepEqual([row.source, row.expires_at], ['group', end])
      assert.match((await app.call('GET', '/access', { headers: { accept: 'text/csv' } })).text, /,expires_at\r\n/)
      const { review_id } = await ok('POST', '/reviews', { name: 'Q4', due_at: at(9 * day) })
      const [{ row_id }] = await ok('GET', `/reviews/${review_id}/rows`)
      const decide = async (decision: string) =>
        (await ok('POST', `/reviews/${review_id}/decisions`, { row_ids: [row_id], decision })).rows[0].state
      assert.equal(await decide('remove'), 'removed')
      assert.equal(await decide('keep'), 'kept')
      assert.equal(await endOf(group, user_id), end)
      await clock.pass(day)
      await removeEnded()
      assert.equal(await decide('keep'), 'changed_meanwhile')
    })

    it('leave an administrator whose membership does not end', async (t) => {
      const { app, at, ok, newGroup, put } = await open(t, engine)
      const roots = await newGroup('Roots', 'root')
      const [first, second] = await Promise.all([createPerson(app), createPerson(app)])
      for (const { user_id } of [first, second]) await put(roots, user_id)
      const expires_at = at(day)
      await put(roots, second.user_id, { expires_at })
      const one = `/groups/${roots}/members/${first.user_id}`
      const bulk = { action: 'add_to_group', group_id: roots, user_ids: [first.user_id], expires_at }
      const refused = await app.call('POST', '/users/bulk?dry_run=true', { body: bulk })
      assert.match(refused.text, /"code":"last_admin"/)
      const many = await ok('POST', `/groups/${roots}/members`, { add: [first.user_id], expires_at })
      assert.equal(many.results[0].code, 'last_admin')
      assert.deepEqual(
        await codes([
          app.call('PUT', one, { body: { expires_at } }),
          app.call('PUT', one, { body: { expires_at: at(-day) } }),
          app.call('DELETE', one),
          app.call('PATCH', `/users/${first.user_id}`, { body: { active: false } }),
          app.call('DELETE', `/users/${first.user_id}`),
        ]),
        Array.from({ length: 5 }, () => [409, 'last_admin']),
      )
      // A user whose own role is taken away does not remain through a membership that ends.
      const third = await createPerson(app, { role: 'admin' })
      await put(roots, third.user_id, { expires_at })
      await ok('DELETE', one)
      const demoted = await app.call('PATCH', `/users/${third.user_id}`, { body: { role: 'user' } })
      assert.equal(demoted.body.code, 'last_admin')
      // One who has the role through two groups keeps it by the one that does not end.
      const others = await newGroup('Others', 'root')
      await put(others, third.user_id)
      await ok('PATCH', `/users/${third.user_id}`, { role: 'user' })
      const left = await app.call('PUT', `/groups/${others}/members/${third.user_id}`, { body: { expires_at } })
      assert.equal(left.body.code, 'last_admin')
      await put(roots, third.user_id, { expires_at: null })
      await put(others, third.user_id, { expires_at })
    })

    it('leave an administrator, whichever way the last membership that does not end would go', async (t) => {
      const { app, at, ok, newGroup, put, endOf } = await open(t, engine)
      const provider = await connectTo(app)
      const roots = await newGroup('Roots', 'root')
      const [lasting, ending] = await Promise.all([createPerson(app), createPerson(app)])
      await put(roots, lasting.user_id)
      await put(roots, ending.user_id, { expires_at: at(day) })
      const path = `/groups/${roots}`
      const scimPath = `/scim/v2/Groups/${roots}`
      const headers = { 'content-type': 'application/scim+json' }
      const { connection_id } = provider
      const { key } = await ok('POST', '/keys', { name: 'strong', permissions: ['*'], connection_id })
      const scim = (method: string, body?: object) =>
        app.call(method, scimPath, { key, headers, ...(body && { body }) })
      const patch = (operation: object) => scim('PATCH', { schemas: [patchOpUrn], Operations: [operation] })
      const member = ({ user_id }: { user_id: string }) => ({ value: user_id })
      const resource = { schemas: [groupUrn], displayName: 'Roots', members: [member(ending)] }
      for (const [way, response] of [
        ['SCIM remove', await patch({ op: 'remove', path: `members[value eq "${lasting.user_id}"]` })],
        ['SCIM replace', await patch({ op: 'replace', path: 'members', value: [member(ending)] })],
        ['SCIM PUT', await scim('PUT', resource)],
        ['SCIM DELETE', await scim('DELETE')],
      ] as const) {
        assert.equal(response.status, 409, `${way} ${response.text}`)
        assert.match(response.text, /administrator/, way)
      }
      // An identity provider may not touch a group that gives more than its key has.
      const replacement = { op: 'replace', path: 'members', value: [member(ending)] }
      assert.equal((await provider.patch(`/Groups/${roots}`, replacement)).status, 403)
      for (const [way, response] of [
        ['role of the group', await app.call('PATCH', path, { body: { role: 'helper' } })],
        ['no role of the group', await app.call('PATCH', path, { body: { role: null } })],
        ['deletion', await app.call('DELETE', path)],
      ] as const) {
        assert.deepEqual([response.status, response.body.code], [409, 'last_admin'], way)
      }
      const row = { username: lasting.username, groups: [] }
      const imported = await app.call('POST', '/users/import?mode=update', {
        body: `${JSON.stringify(row)}\n`,
        headers: { 'content-type': 'application/x-ndjson' },
      })
      assert.equal(imported.body.rejects[0]?.code, 'last_admin', imported.text)
      const both = [lasting.user_id, ending.user_id]
      const bulk = { action: 'remove_from_group', group_id: roots, user_ids: both }
      const lines = (await app.call('POST', '/users/bulk', { body: bulk })).text.trim().split('\n')
      const verdicts = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'row')
      assert.deepEqual(
        verdicts.map(({ user_id, code }) => [user_id, code]).toSorted(),
        [
          [lasting.user_id, 'last_admin'],
          [ending.user_id, undefined],
        ].toSorted(),
      )
      await put(roots, ending.user_id, { expires_at: at(day) })
      const many = await ok('POST', `${path}/members`, { remove: both })
      assert.deepEqual(
        many.results.map(({ result }: { result: string }) => result),
        ['refused', 'removed'],
      )
      const undated = await ok('POST', `${path}/members`, { add: both, expires_at: at(day) })
      assert.deepEqual(
        undated.results.map(({ result }: { result: string }) => result),
        ['refused', 'added'],
      )
      assert.equal(await endOf(roots, lasting.user_id), undefined)
      const [found] = await ok('GET', `/users?user_id=${lasting.user_id}&include=groups`)
      assert.deepEqual(found.effective_roles, ['user', 'root'])
    })

    it('are announced to the member and to administrators, and nothing is removed after a jump of the clock', async (t) => {
      const { app, clock, at, newGroup, put, removeEnded, ok } = await open(t, engine)
      await createPerson(app, { username: 'grace', email: 'grace@example.com', role: 'admin' })
      const group = await newGroup('Project', 'helper')
      const { user_id } = await createPerson(app, { username: 'temp', email: 'temp@example.com' })
      await put(group, user_id, { expires_at: at(8 * day) })
      const request = () => ({ actor: system, now: clock(), requestId: 'test' })
      const sent = async () => {
        await app.storage.change('users.notice_ends', undefined, request())
        await app.storage.change('users.notice_ends', undefined, request())
        const of = async (kind: string) => (await mailsOf(app, `&kind=${kind}`)).map(({ address }) => address)
        return [await of('membership_ending'), await of('access_endings')]
      }
      assert.deepEqual(await sent(), [[], []])
      await clock.pass(day)
      assert.deepEqual(await sent(), [['temp@example.com'], ['grace@example.com']])
      await clock.pass(6 * day)
      assert.deepEqual(
        (await sent()).map((addresses) => addresses?.length),
        [2, 2],
      )
      const judge = () =>
        app.storage.change('housekeeping.judge_clock', { isSteady: false, isConfirmed: false }, request())
      await judge()
      await clock.pass(2 * day)
      await judge()
      assert.equal((await removeEnded()).result.removed, 0)
      // It gives nothing all the same.
      assert.deepEqual(await ok('GET', `/users/${user_id}/groups`), [])
    })
  })
}
