/** Which audit records belong to an organization, and what they reveal to it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Actor, system } from '../../src/core/actor.ts'
import { outside, scopeOf } from '../../src/core/scope.ts'
import type { Filters } from '../../src/record/audit/plan.ts'
import type { AuditRecord } from '../../src/record/audit/schema.ts'
import { findRecords } from '../../src/record/audit/store.ts'
import type { Db } from '../../src/store/db/db.ts'
import { rawSql, type Sql, sql } from '../../src/store/db/sql.ts'
import { everyEngine, onlyPostgres, type Started, start } from '../harness.ts'
import { auditTable } from '../http/audit-table.ts'
import { mailEnv } from '../mails/mailing.ts'
import { startOwners } from '../name-server.ts'
import { createPerson, openBrowser } from '../people.ts'

async function createOrganization(app: Started, name: string): Promise<string> {
  const { status, body, text } = await app.call('POST', '/organizations', { body: { name } })
  assert.equal(status, 201, text)
  return body.organization_id
}

/** What an administrator of the organization finds. */
async function findAs(app: Started, limitedTo: string, filters: Filters = {}): Promise<AuditRecord[]> {
  await app.storage.settleJournal()
  const actor: Actor = { kind: 'api_key', id: 'test', name: 'test', permissions: ['*'], limitedTo }
  const range = { above: 0, below: Number.MAX_SAFE_INTEGER }
  const search = { scope: scopeOf(actor), filters, descending: false, range, limit: 1000 }
  return (await app.storage.query('audit.find', search, { actor })).map(({ text }) => JSON.parse(text))
}

/** What `GET /audit` returns. */
async function readAs(app: Started, key: string | undefined, query: string): Promise<AuditRecord[]> {
  const { status, body, text } = await app.call('GET', `/audit?sort=seq&${query}`, key === undefined ? {} : { key })
  assert.equal(status, 200, text)
  return body
}

/** How the engine finds what a query reads. */
async function plansOf(db: Db, run: (db: Db) => Promise<unknown>): Promise<string[]> {
  const explain = rawSql(db.engine === 'postgres' ? 'EXPLAIN' : 'EXPLAIN QUERY PLAN')
  const plans: string[] = []
  const all = async <Row extends object>(statement: Sql): Promise<Row[]> => {
    plans.push(JSON.stringify(await db.all(sql`${explain} ${statement}`)))
    return db.all<Row>(statement)
  }
  await run({ ...db, all })
  return plans
}

/** Puts whatever is created from now on into the organization. */
async function placeAll(app: Started, organizationId: string): Promise<void> {
  await app.runSql(`CREATE FUNCTION place() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    NEW.organization_id := coalesce(NEW.organization_id, '${organizationId}');
    RETURN NEW;
  END $$`)
  for (const table of ['users', 'user_groups', 'api_keys', 'provisioning_connections', 'sign_in_connections']) {
    await app.runSql(`CREATE TRIGGER place BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION place()`)
  }
}

const placed = ['user', 'group', 'key', 'connection', 'sign_in_connection', 'organization']
/** Records of creations, which the triggers are too late for. */
const creations = ['user.created', 'group.created', 'key.created', 'connection.created', 'sign_in_connection.created']

const env = {
  ...mailEnv,
  ROLLBOOK_ACCESS_REQUESTS: 'on',
  ROLLBOOK_ACCOUNT_DELETION: 'on',
  ROLLBOOK_EMAIL_CODE: 'on',
  ROLLBOOK_RATE_LIMIT: '0',
  ROLLBOOK_ROLES: '{"reader": ["reports:read"]}',
}

for (const engine of onlyPostgres) {
  describe(`the records of an organization, on ${engine.name}`, () => {
    it('are those of each operation on what belongs to it, also refused ones', async (t) => {
      const names = await startOwners(t, () => app)
      const app: Started = await start(t, engine, { env: { ...env, ...names.env } })
      const acme = await createOrganization(app, 'Acme')
      await placeAll(app, acme)
      const operations = new Map(
        Object.entries(app.document.paths).flatMap(([, methods]) =>
          Object.entries(methods).map(([method, { operationId }]) => [operationId as string, method.toUpperCase()]),
        ),
      )
      const weak = await app.call('POST', '/keys', { body: { name: 'weak', permissions: ['reports:read'] } })
      const missing = new Set<string>()
      let checked = 0
      for (const [id, prepare] of Object.entries(auditTable).flatMap(([id, ways]) =>
        [ways].flat().map((way) => [id, way] as const),
      )) {
        const { path, body, type, by } = await prepare(app)
        await app.storage.settleJournal()
        const [{ seq }] = (await app.runSql('SELECT max(seq) AS seq FROM audit_records')) as [{ seq: number }]
        const request = {
          headers: type === undefined ? {} : { 'content-type': type },
          ...(body !== undefined && { body }),
        }
        const method = operations.get(id) ?? ''
        const isOfUser = /^\/users\/[0-9a-f-]{36}/.test(path)
        if (isOfUser) assert.equal((await app.call(method, path, { ...request, key: weak.body.key })).status, 403, id)
        if (by === undefined || by === 'nobody') await app.call(method, path, { ...request, ...(by && { key: null }) })
        else await by.call(method, path, request)
        await app.storage.settleJournal()
        const rows = await app.runSql(`SELECT * FROM audit_records WHERE seq > ${seq}`)
        assert.ok(rows.length > 0, id)
        for (const { action, target_kind, organization_id } of rows) {
          if (!placed.includes(target_kind as string) || creations.includes(action as string)) continue
          if (organization_id === null) missing.add(`${id}: ${action}`)
          checked++
        }
      }
      assert.deepEqual([...missing], [])
      assert.ok(checked > 80, `${checked}`)
    })
  })
}

for (const engine of everyEngine) {
  describe(`what an organization reads in its records, on ${engine.name}`, () => {
    it('is no administrator from outside, neither by name nor through a filter', async (t) => {
      const app = await start(t, engine)
      const acme = await createOrganization(app, 'Acme')
      const { user_id } = await createPerson(app, { username: 'ada', organization_id: acme })
      const boss = await createPerson(app, { username: 'boss', role: 'admin', organization_id: acme })
      const other = await createPerson(app, { username: 'other', role: 'admin' })
      const rename = async (call: typeof app.call, first_name: string) =>
        assert.equal((await call('PATCH', `/users/${user_id}`, { body: { first_name } })).status, 200)
      const headers = { 'user-agent': 'a browser of the service' }
      await rename(app.call, 'Ada')
      await rename((await openBrowser(app, 'boss')).call, 'Augusta')
      const outsider = await openBrowser(app, 'other')
      await rename((method, path, request) => outsider.call(method, path, { ...request, headers }), 'Byron')
      const acting = await outsider.call('POST', `/users/${user_id}/impersonation`, { body: { reason: 'Case 1' } })
      assert.equal(acting.status, 201, acting.text)

      const found = await findAs(app, acme, { target: user_id })
      const hidden = { kind: 'user', id: '', name: outside.administrator, key_id: null, session_id: null }
      assert.deepEqual(
        found.map(({ action, actor, address, user_agent }) => [
          action,
          actor.id === boss.user_id ? 'boss' : actor,
          address !== null,
          user_agent !== null,
        ]),
        [
          ['user.created', hidden, false, false],
          ['user.updated', hidden, false, false],
          ['user.updated', 'boss', true, true],
          ['user.updated', hidden, false, false],
          ['user.impersonated', hidden, false, false],
        ],
      )
      const keys = (await app.call('GET', '/keys')).body as { key_id: string }[]
      for (const { key_id } of keys) assert.ok(!JSON.stringify(found).includes(key_id))
      assert.ok(!JSON.stringify(found).includes(other.user_id))
      const counted = async (filters: Filters) => (await findAs(app, acme, { target: user_id, ...filters })).length
      assert.equal(await counted({ actor: other.user_id }), 0)
      for (const { key_id } of keys) assert.equal(await counted({ actor: key_id }), 0)
      assert.equal(await counted({ actor_kind: 'api_key' }), 0)
      assert.equal(await counted({ actor_kind: 'user' }), 5)
      assert.equal(await counted({ actor: boss.user_id }), 1)
      assert.equal((await findAs(app, acme, { actor: boss.user_id })).length, 2)
    })

    it('is a membership without the group, if the group belongs elsewhere', async (t) => {
      const app = await start(t, engine)
      const acme = await createOrganization(app, 'Acme')
      const { user_id } = await createPerson(app, { username: 'ada', organization_id: acme })
      for (const body of [{ name: 'Hidden' }, { name: 'Staff', organization_id: acme }]) {
        const { group_id } = (await app.call('POST', '/groups', { body })).body
        assert.equal((await app.call('PUT', `/groups/${group_id}/members/${user_id}`)).status, 200)
      }
      const [elsewhere, own] = await findAs(app, acme, { action: ['group.member_added'] })
      assert.deepEqual(elsewhere?.details, { group: outside.group })
      assert.equal(own?.details?.group, 'Staff')
    })

    it('is the same that administrators of the service find by it, and nothing by another one', async (t) => {
      const app = await start(t, engine)
      const [acme, globex] = [await createOrganization(app, 'Acme'), await createOrganization(app, 'Globex')]
      const { user_id } = await createPerson(app, { username: 'ada', organization_id: acme })
      await createPerson(app, { username: 'grace', organization_id: globex })
      await createPerson(app, { username: 'alan' })
      await app.call('PATCH', `/users/${user_id}`, { body: { organization_id: globex } })
      const permissions = ['audit:read@organization']
      const { key } = (await app.call('POST', '/keys', { body: { name: 'acme', permissions, organization_id: acme } }))
        .body
      const seen = (records: AuditRecord[]) => records.map(({ action, target }) => `${action} ${target?.name}`)
      const ofAcme = ['organization.created Acme', 'user.created ada', 'user.updated ada', 'key.created acme']
      assert.deepEqual(seen(await readAs(app, undefined, `organization=${acme.toUpperCase()}`)), ofAcme)
      assert.deepEqual(seen(await readAs(app, undefined, `organization=${globex}`)), [
        ...['organization.created Globex', 'user.created grace', 'user.updated ada'],
      ])
      const [move] = await readAs(app, undefined, `organization=${acme}&action=user.updated&target=${user_id}`)
      assert.deepEqual(move?.changes, { organization_id: { before: acme, after: globex } })
      assert.deepEqual(await readAs(app, undefined, `organization=${acme}&target=${user_id}&actor=nobody`), [])
      assert.deepEqual(seen(await readAs(app, key, '')), ofAcme)
      assert.deepEqual(seen(await readAs(app, key, `organization=${acme}`)), ofAcme)
      for (const other of [globex, 'none', '0'])
        assert.deepEqual(await readAs(app, key, `organization=${other}`), [], other)
      assert.deepEqual(await readAs(app, key, `organization=${globex}&target=${user_id}`), [])
    })

    it('is found along an index, however many records there are of others', async (t) => {
      const app = await start(t, engine)
      const acme = await createOrganization(app, 'Acme')
      await app.storage.settleJournal()
      if (engine.name === 'PostgreSQL') {
        // Its planner reads a small table as a whole.
        await app.runSql(`INSERT INTO audit_records SELECT (copy).* FROM (
          SELECT jsonb_populate_record(one, jsonb_build_object('seq', seq + n, 'record_id', gen_random_uuid(),
            'organization_id', CASE WHEN n % 500 = 0 THEN organization_id END)) AS copy
          FROM audit_records AS one, generate_series(1, 20000) AS n WHERE organization_id = '${acme}') AS copies`)
        await app.runSql('ANALYZE audit_records')
      }
      const range = { above: 0, below: Number.MAX_SAFE_INTEGER }
      const search = { scope: scopeOf(system), filters: { organization: acme }, descending: true, range, limit: 10 }
      const plans = await plansOf(app.storage.db, (db) => findRecords(db, search))
      assert.match(plans[0] ?? '', /audit_records_organization/)
      assert.match(plans[1] ?? '', /audit_records_former_organization/)
      for (const plan of plans) assert.doesNotMatch(plan, /Seq Scan|TEMP B-TREE|Sort/)
    })

    it('is one side of a move, and what its users left behind', async (t) => {
      const app = await start(t, engine)
      const [acme, globex] = [await createOrganization(app, 'Acme'), await createOrganization(app, 'Globex')]
      const { user_id } = await createPerson(app, { username: 'ada', organization_id: acme })
      const staff = (await app.call('POST', '/groups', { body: { name: 'Staff', organization_id: acme } })).body
      assert.equal((await app.call('PUT', `/groups/${staff.group_id}/members/${user_id}`)).status, 200)
      const body = { organization_id: globex, username: 'countess' }
      assert.equal((await app.call('PATCH', `/users/${user_id}`, { body })).status, 200)
      const seen = async (organization: string) => {
        const found = await findAs(app, organization, { action: ['user.updated', 'group.member_removed'] })
        assert.ok(!JSON.stringify(found).includes(organization === acme ? globex : acme))
        return found.map(({ action, target, changes }) => [action, target?.name, changes])
      }
      const left = { organization_id: { before: acme, after: null }, username: { before: 'ada', after: null } }
      assert.deepEqual((await seen(acme)).toSorted(), [
        ['group.member_removed', 'ada', null],
        ['user.updated', 'ada', left],
      ])
      const arrived = {
        organization_id: { before: null, after: globex },
        username: { before: null, after: 'countess' },
      }
      assert.deepEqual(await seen(globex), [['user.updated', 'countess', arrived]])
    })

    it('is the deletion of its users, whom it can restore, and their restoration', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_DELETION_GRACE_DAYS: '30' } })
      const acme = await createOrganization(app, 'Acme')
      const { user_id } = await createPerson(app, { username: 'ada', organization_id: acme })
      assert.equal((await app.call('DELETE', `/users/${user_id}`)).status, 200)
      const [deleted] = await app.runSql('SELECT organization_id FROM deleted_users')
      assert.equal(deleted?.organization_id, acme)
      assert.equal((await app.call('POST', `/users/${user_id}/restore`)).status, 200)
      const actions = (await findAs(app, acme, { target: user_id })).map(({ action }) => action)
      assert.deepEqual(actions, ['user.created', 'user.deleted', 'user.restored'])
    })
  })
}
