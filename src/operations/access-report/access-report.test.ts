import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { personWithPhone } from '../../../test/factors.ts'
import { createUser, engines, start } from '../../../test/harness.ts'
import { stoppedClock } from '../../../test/stopped-clock.ts'
import { makeKey } from '../../../test/tokens/parts.ts'
import type { AccessSource } from './schema.ts'

const env = {
  ROLLBOOK_ROLES: '{"support": ["users:read", "users:write"], "lost": ["users:read"]}',
  ROLLBOOK_RATE_LIMIT: '0',
}
const minuteMs = 60_000

for (const engine of engines) {
  describe(`the access report on ${engine.name}`, () => {
    it('has a row for each user and source of permissions: what, why, since when and by whom', async (t) => {
      const clock = stoppedClock()
      const app = await start(t, engine, { env, clock })
      const [plain, ada, bob] = [
        await createUser(app, { username: 'plain' }),
        await createUser(app, { username: 'ada', role: 'support', email: 'ada@example.com' }),
        await createUser(app, { username: 'bob' }),
      ]
      const createdAt = clock()
      const boss = await makeKey(app, ['*'])
      const [desk, empty] = await Promise.all(
        [{ name: 'Desk', role: 'lost' }, { name: 'Empty' }].map(
          async (body) => (await app.call('POST', '/groups', { body })).body as { group_id: string },
        ),
      )
      await clock.pass(minuteMs)
      const joinedAt = clock()
      const asBoss = { key: boss.key }
      for (const { user_id } of [ada, bob, plain]) {
        const group = user_id === plain.user_id ? empty : desk
        assert.equal((await app.call('PUT', `/groups/${group?.group_id}/members/${user_id}`, asBoss)).status, 200)
      }
      await clock.pass(minuteMs)
      const raisedAt = clock()
      const raised = await app.call('PATCH', `/users/${bob.user_id}`, { ...asBoss, body: { role: 'admin' } })
      assert.equal(raised.status, 200)
      // A later change of something else is not the one that gave the role.
      await clock.pass(minuteMs)
      await app.call('PATCH', `/users/${bob.user_id}`, { body: { first_name: 'Bob' } })

      // On PostgreSQL a record has its number, by which it is found, shortly after the commit.
      await app.storage.settleJournal()
      const { body } = (await app.call('GET', '/access')) as { body: AccessSource[] }
      const known = { kind: 'api_key', id: boss.key_id, name: 'test' }
      const iso = (ms: number) => new Date(ms).toISOString()
      assert.deepEqual(
        body.map(({ username, source, role, group, since, permissions }) => [
          username,
          source,
          role,
          group,
          since,
          permissions,
        ]),
        [
          ['ada', 'role', 'support', null, iso(createdAt), ['users:read', 'users:write']],
          ['ada', 'group', 'lost', 'Desk', iso(joinedAt), ['users:read']],
          ['bob', 'role', 'admin', null, iso(raisedAt), ['*']],
          ['bob', 'group', 'lost', 'Desk', iso(joinedAt), ['users:read']],
        ],
      )
      assert.deepEqual(
        body.slice(1).map(({ granted_by }) => granted_by),
        [known, known, known],
      )
      assert.equal(new Set(body.map(({ row_id }) => row_id)).size, 4)

      // A role that went with the settings permits nothing, and the row says so.
      await app.runSql(`UPDATE user_groups SET role = 'removed' WHERE name = 'Desk'`)
      const later = (await app.call('GET', `/access?q=ada`)).body as AccessSource[]
      assert.deepEqual(
        later.map(({ role, permissions }) => [role, permissions.length]),
        [
          ['support', 2],
          ['removed', 0],
        ],
      )
      await app.runSql(`UPDATE user_groups SET role = 'lost' WHERE name = 'Desk'`)

      // What the audit log has lost is null.
      await app.runSql('DELETE FROM audit_records')
      for (const row of (await app.call('GET', '/access')).body as AccessSource[]) {
        assert.deepEqual([row.since, row.granted_by], [null, null])
      }
    })

    it('is JSON, NDJSON or CSV, of the users that the filters of lists find, and says who has a factor and keys', async (t) => {
      const app = await start(t, engine, { env })
      const { user_id, username } = await personWithPhone(app, Date.now(), { role: 'support' })
      const other = await createUser(app, { username: 'other', role: 'support', first_name: '=1+1' })
      await app.call('PATCH', `/users/${other.user_id}`, { body: { active: false } })
      const rows = (await app.call('GET', '/access?active=true')).body as AccessSource[]
      assert.deepEqual(
        rows.map((row) => [row.username, row.second_factor, row.keys]),
        [[username, true, 0]],
      )
      const read = async (accept: string) =>
        (await app.call('GET', '/access', { headers: { accept } })).text.trimEnd().split(/\r?\n/)
      const lines = await read('application/x-ndjson')
      assert.deepEqual(lines.map((line) => JSON.parse(line).active).sort(), [false, true])
      const [header, ...cells] = await read('text/csv')
      assert.match(header ?? '', /^row_id,user_id,username,email,/)
      assert.equal(cells.length, 2)
      assert.ok(
        cells.some((line) => line.includes(user_id)) && cells.some((line) => line.includes("'=1+1")),
        cells.join('\n'),
      )
      assert.equal((await app.call('GET', '/access?q=nothing-like-it')).text, '[]')
      assert.deepEqual((await read('text/csv')).length, 3)
      const none = await app.call('GET', '/access?q=nothing-like-it', { headers: { accept: 'text/csv' } })
      assert.equal(none.text, `${header}\r\n`)
      const ends = { expires_at: '2099-12-31T23:59:59.000Z' }
      await app.call('PATCH', `/users/${user_id}`, { body: ends })
      const [ending] = (await app.call('GET', '/access?active=true')).body as AccessSource[]
      assert.equal(ending?.user_expires_at, ends.expires_at)
      assert.match((await read('text/csv'))[0] ?? '', /,user_expires_at$/)
      assert.equal((await app.call('GET', '/access', { headers: { accept: 'text/html' } })).status, 406)
      assert.equal((await app.call('GET', '/access?limit=1')).status, 422)
    })

    it('needs the permissions to read users and the audit log', async (t) => {
      const app = await start(t, engine, { env })
      for (const permissions of [['audit:read'], ['users:read']]) {
        const { key } = await makeKey(app, permissions)
        const { status, body } = await app.call('GET', '/access', { key })
        assert.deepEqual([status, body.code], [403, 'permission_denied'], String(permissions))
      }
      const { key } = await makeKey(app, ['audit:read', 'users:read'])
      assert.equal((await app.call('GET', '/access', { key })).status, 200)
    })
  })
}
