import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Decrypter } from 'age-encryption'
import { newestRecord, recordsOf } from '../../../test/audit-records.ts'
import { type Answer, adminKey, createUser, type Engine, engines, type Started, start } from '../../../test/harness.ts'
import { createPerson, openBrowser } from '../../../test/people.ts'

type Row = Record<string, unknown>
type Reject = { row: number; code: string; pointer: string; detail: string }
type Sent = { query?: string; key?: string; csv?: true }

const roles = { support: ['users:read', 'users:import', 'groups:write'], root: ['*'] }
const env = { ROLLBOOK_ROLES: JSON.stringify(roles) }

async function startWith(t: Parameters<typeof start>[0], engine: Engine, ...groups: Row[]): Promise<Started> {
  const app = await start(t, engine, { env })
  for (const body of groups) assert.equal((await app.call('POST', '/groups', { body })).status, 201)
  return app
}

async function bring(app: Started, rows: readonly Row[] | string, { query = '', key = adminKey }: Sent = {}) {
  const isCsv = typeof rows === 'string'
  const body = isCsv ? rows : rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  const headers = { 'content-type': isCsv ? 'text/csv' : 'application/x-ndjson' }
  const response = await app.call('POST', `/users/import${query}`, { body, headers, key })
  assert.equal(response.status, 200, response.text)
  return response.body as Row & { job_id: string; rejects: Reject[] }
}

const list = (app: Started, accept: string): Promise<Answer> =>
  app.call('GET', '/users?include=groups', { headers: { accept } })

/** The groups of each user, by name. */
async function groupsOf(app: Started): Promise<Record<string, string[]>> {
  const { body } = await list(app, 'application/json')
  return Object.fromEntries(body.map(({ username, groups }: Row) => [username, groups]))
}

const why = ({ rejects }: { rejects: Reject[] }) => rejects.map(({ row, code, pointer }) => [row, code, pointer])

/** What is kept twice must agree: the members of each group, and the roles of each user's groups. */
async function checkKept(app: Started): Promise<void> {
  const groups = await app.runSql(`
    SELECT name, member_count AS told, (SELECT count(*) FROM group_members m WHERE m.group_id = g.group_id) AS counted
    FROM user_groups g`)
  for (const { name, told, counted } of groups) assert.equal(Number(told), Number(counted), String(name))
  const held = await app.runSql(`
    SELECT DISTINCT u.user_id, g.role, u.group_roles FROM users u
    LEFT JOIN group_members m ON m.user_id = u.user_id LEFT JOIN user_groups g ON g.group_id = m.group_id`)
  const expected = new Map<unknown, Set<string>>()
  for (const { user_id, role } of held) {
    const set = expected.get(user_id) ?? new Set()
    expected.set(user_id, role === null ? set : set.add(String(role)))
  }
  for (const { user_id, group_roles } of held) {
    assert.equal(group_roles, [...(expected.get(user_id) ?? [])].sort().join(' '))
  }
}

for (const engine of engines) {
  describe(`groups in an import on ${engine.name}`, () => {
    it('are those that a row names; without the member a user stays in all', async (t) => {
      const app = await startWith(t, engine, { name: 'North', role: 'support' }, { name: 'South' }, { name: 'East' })
      const first = await bring(app, [
        { username: 'ada', groups: ['north', 'SOUTH', 'North'] },
        { username: 'bob', groups: [] },
        { username: 'cy' },
      ])
      assert.equal(first.created, 3, JSON.stringify(first))
      assert.deepEqual(await groupsOf(app), { ada: ['North', 'South'], bob: [], cy: [] })
      const second = await bring(
        app,
        [
          { username: 'ada', first_name: 'Ada' },
          { username: 'bob', groups: ['East'] },
          { username: 'cy', groups: [] },
        ],
        { query: '?mode=update' },
      )
      assert.deepEqual([second.updated, second.unchanged], [2, 1])
      assert.deepEqual(await groupsOf(app), { ada: ['North', 'South'], bob: ['East'], cy: [] })
      const csv = 'username,groups\nada, East ;south\nbob,\n'
      assert.equal((await bring(app, csv, { query: '?mode=update' })).updated, 2)
      assert.deepEqual(await groupsOf(app), { ada: ['East', 'South'], bob: [], cy: [] })
      assert.equal((await bring(app, csv, { query: '?mode=update' })).unchanged, 2)
      assert.deepEqual(
        (await bring(app, 'username,groups\nada,East\nbob,\n', { query: '?on_conflict=skip' })).skipped,
        1,
      )
      assert.deepEqual(why(await bring(app, [{ username: 'ada', groups: [] }])), [[1, 'username_taken', '#/username']])
      await checkKept(app)
    })

    it('may come and go with several rows about a user, each told in the audit and the events', async (t) => {
      const app = await startWith(t, engine, { name: 'North' }, { name: 'South' })
      const before = await newestRecord(app)
      const job = await bring(
        app,
        [
          { username: 'ada', groups: ['North'] },
          { username: 'ada', groups: ['South'] },
          { username: 'ada', first_name: 'Ada' },
        ],
        { query: '?mode=update&file_name=staff.csv' },
      )
      assert.deepEqual([job.created, job.updated], [1, 2])
      assert.deepEqual(await groupsOf(app), { ada: ['South'] })
      const reported = (await recordsOf(app, before)).filter(({ action }) => action.startsWith('group.'))
      assert.deepEqual(
        reported.map(({ action, target, details }) => [action, target?.name, details?.group, details?.import_id]),
        [
          ['group.member_added', 'ada', 'North', job.job_id],
          ['group.member_added', 'ada', 'South', job.job_id],
          ['group.member_removed', 'ada', 'North', job.job_id],
        ],
      )
      const { body } = await app.call('GET', '/events?type=group.member_added&type=group.member_removed')
      assert.equal(body.events.length >= 2, true, 'one for each membership at least')
      await checkKept(app)
    })

    it('reject the row that names an unknown one, with what to do', async (t) => {
      const app = await startWith(t, engine, { name: 'North' })
      const rows = [
        { username: 'ada', groups: ['North', 'Nowhere'] },
        { username: 'bob', groups: 'North' },
        { username: 'cy', groups: ['a\tb'] },
        { username: 'dan', groups: [''] },
        { username: 'eve', groups: null },
      ]
      const job = await bring(app, rows)
      assert.deepEqual(why(job), [
        [1, 'group_unknown', '#/groups/1'],
        [2, 'wrong_type', '#/groups'],
        [3, 'group_unknown', '#/groups/0'],
        [4, 'too_short', '#/groups/0'],
        [5, 'wrong_type', '#/groups'],
      ])
      assert.equal(job.rejects[0]?.detail, 'Group 2 of this row does not exist. Create it first, or correct its name.')
      assert.deepEqual(await groupsOf(app), {})
    })

    it('change only what the caller may give and take, whom they may change, and never the last administrator', async (t) => {
      const app = await startWith(t, engine, { name: 'Root', role: 'root' }, { name: 'Help', role: 'support' })
      await createPerson(app, { username: 'boss' })
      await createUser(app, { username: 'clerk' })
      await bring(app, [{ username: 'boss', groups: ['Root'] }], { query: '?mode=update' })
      const keyWith = async (...permissions: string[]) =>
        (await app.call('POST', '/keys', { body: { name: 'a key', permissions } })).body.key
      const importer = await keyWith('users:import', 'users:read')
      const helper = await keyWith(...roles.support)
      const query = '?mode=update'
      const give = [
        { username: 'clerk', groups: ['Root'] },
        { username: 'boss', groups: [] },
        { username: 'new', groups: ['Help'] },
        { username: 'clerk', groups: [] },
      ]
      for (const dry of ['&dry_run=true', '']) {
        assert.deepEqual(why(await bring(app, give, { query: query + dry, key: importer })), [
          [1, 'permission_denied', '#/groups'],
          [2, 'user_outranks_caller', '#/role'],
          [3, 'permission_denied', '#/groups'],
        ])
        assert.deepEqual(why(await bring(app, give, { query: query + dry, key: helper })), [
          [1, 'role_not_grantable', '#/groups'],
          [2, 'user_outranks_caller', '#/role'],
        ])
        const last = [
          { username: 'boss', groups: ['Help'] },
          { username: 'clerk', groups: ['Root'] },
          { username: 'boss', groups: [] },
          { username: 'clerk', active: false },
        ]
        assert.deepEqual(why(await bring(app, last, { query: query + dry })), [
          [1, 'last_admin', null],
          [4, 'last_admin', null],
        ])
      }
      assert.deepEqual(await groupsOf(app), { boss: [], clerk: ['Root'], new: ['Help'] })
      await checkKept(app)
    })

    it('give and take permissions at once', async (t) => {
      const app = await startWith(t, engine, { name: 'Help', role: 'support' })
      await createPerson(app, { username: 'ada' })
      const browser = await openBrowser(app, 'ada')
      const statusOf = async () => (await browser.call('GET', '/users?limit=1')).status
      assert.equal(await statusOf(), 403)
      await bring(app, [{ username: 'ada', groups: ['Help'] }], { query: '?mode=update' })
      assert.equal(await statusOf(), 200)
      await bring(app, 'username,groups\nada,\n', { query: '?mode=update' })
      assert.equal(await statusOf(), 403)
    })

    it('are predicted by a dry run, across batches', async (t) => {
      const names = ['Root', 'Help', 'North', 'South']
      const app = await startWith(t, engine, { name: 'Root', role: 'root' }, { name: 'Help', role: 'support' })
      for (const name of names.slice(2)) await app.call('POST', '/groups', { body: { name } })
      let seed = 7
      const below = (n: number) => {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
        return Math.floor((seed / 2_147_483_648) * n)
      }
      for (const mode of ['mode=update', 'on_conflict=skip', 'mode=update']) {
        const rows = Array.from({ length: 900 }, () => ({
          username: `user-${below(12)}`,
          ...(below(3) > 0 && { groups: names.filter((name) => below(name === 'Root' ? 20 : 3) === 0) }),
          ...(below(5) === 0 && { active: below(2) === 0 }),
          ...(below(200) === 0 && { groups: ['Nowhere'] }),
        }))
        const before = await groupsOf(app)
        const resultOf = async (query: string) => {
          const { job_id } = await bring(app, rows, { query })
          const { text } = await app.call('GET', `/imports/${job_id}/rows`)
          return text.split('\n').flatMap((line) => {
            if (line === '') return []
            const { row, verdict, code } = JSON.parse(line)
            return [[row, verdict, code]]
          })
        }
        const dry = await resultOf(`?${mode}&dry_run=true`)
        assert.deepEqual(await groupsOf(app), before)
        const real = await resultOf(`?${mode}`)
        assert.deepEqual(dry, real)
        if (mode === 'mode=update')
          for (const code of ['last_admin', 'group_unknown'])
            assert.ok(
              real.some((one) => one[2] === code),
              code,
            )
        await checkKept(app)
      }
    })

    it('stay consistent while others change the same members', async (t) => {
      const app = await startWith(t, engine, { name: 'North', role: 'support' }, { name: 'South', role: 'root' })
      const people = Array.from({ length: 60 }, (_, n) => ({ username: `user-${n}` }))
      await bring(app, people)
      const { body: users } = await app.call('GET', '/users')
      const { body: groups } = await app.call('GET', '/groups')
      const ids = users.map(({ user_id }: Row) => user_id)
      const imports = [0, 1, 2].map((round) =>
        bring(
          app,
          people.map((one, n) => ({ ...one, groups: (n + round) % 2 === 0 ? ['North'] : ['North', 'South'] })),
          { query: '?mode=update' },
        ),
      )
      const changes = groups.flatMap(({ group_id }: Row) => [
        app.call('POST', `/groups/${group_id}/members`, { body: { add: ids.slice(0, 40) } }),
        app.call('POST', `/groups/${group_id}/members`, { body: { remove: ids.slice(20) } }),
      ])
      for (const { status } of await Promise.all<Answer>(changes)) assert.ok(status === 200 || status === 503)
      for (const job of await Promise.all(imports)) assert.equal(job.rows_done, 60)
      await checkKept(app)
    })
  })

  describe(`the groups of a list on ${engine.name}`, () => {
    const odd = [{ name: '"Both";Banks' }, { name: '=North' }, { name: '5" Pipes' }, { name: 'East' }]

    it('come back by an import into another store, from every format', async (t) => {
      const from = await startWith(t, engine, ...odd)
      await bring(from, [
        { username: 'ada', groups: odd.map(({ name }) => name) },
        { username: 'bob', groups: ['=north'] },
        { username: 'cy' },
      ])
      const expected = await groupsOf(from)
      assert.deepEqual(expected.ada, ['"Both";Banks', '5" Pipes', '=North', 'East'])
      for (const format of ['text/csv', 'application/x-ndjson']) {
        const to = await startWith(t, engine, ...odd)
        const { text } = await list(from, format)
        const body = format === 'text/csv' ? text : text.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []))
        assert.equal((await bring(to, body)).created, 3, format)
        assert.deepEqual(await groupsOf(to), expected, format)
        assert.equal((await bring(to, body, { query: '?mode=update' })).unchanged, 3, format)
      }
    })

    it('come with an encrypted export', async (t) => {
      const app = await startWith(t, engine, ...odd)
      await bring(app, [{ username: 'ada', groups: ['East'] }, { username: 'bob' }])
      const passphrase = 'opened by few people only'
      const response = await fetch(`${await app.listen()}/users/export`, {
        method: 'POST',
        headers: { 'x-api-key': adminKey, 'content-type': 'application/json' },
        body: JSON.stringify({ passphrase }),
      })
      const decrypter = new Decrypter()
      decrypter.addPassphrase(passphrase)
      const text = await decrypter.decrypt(new Uint8Array(await response.arrayBuffer()), 'text')
      const groups = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).groups]))
      assert.deepEqual(groups, [['East'], []])
    })

    it('are in each page and order, need groups:read, and change the ETag', async (t) => {
      const app = await startWith(t, engine, { name: 'North' })
      await bring(
        app,
        Array.from({ length: 30 }, (_, n) => ({ username: `user-${n}`, groups: n % 2 ? ['North'] : [] })),
      )
      for (const query of ['limit=20', 'limit=20&sort=-username', 'limit=20&offset=5', 'sort=username', 'q=user']) {
        const { body } = await app.call('GET', `/users?include=groups&${query}`)
        for (const { username, groups } of body) {
          assert.deepEqual(groups, Number(username.slice(5)) % 2 ? ['North'] : [], query)
        }
      }
      const { body: plain } = await app.call('GET', '/users?limit=1')
      assert.equal('groups' in plain[0], false)
      const { body: created } = await app.call('POST', '/keys', {
        body: { name: 'a key', permissions: ['users:read'] },
      })
      for (const query of ['include=groups', `group=${plain[0].user_id}`]) {
        const refused = await app.call('GET', `/users?${query}`, { key: created.key })
        assert.deepEqual([refused.status, refused.body.code], [403, 'permission_denied'], query)
      }
      const { headers } = await app.call('GET', '/users?include=groups')
      const again = () => app.call('GET', '/users?include=groups', { headers: { 'if-none-match': headers.etag ?? '' } })
      assert.equal((await again()).status, 304)
      const [{ group_id }] = (await app.call('GET', '/groups')).body
      await app.call('PATCH', `/groups/${group_id}`, { body: { name: 'Far North' } })
      assert.equal((await again()).status, 200)
    })
  })
}
