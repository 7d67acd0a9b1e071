import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createUser, start } from '../harness.ts'
import { runOn, skip } from './nodes.ts'

describe('accounts of the database', { skip }, () => {
  it('are not managed by Rollbook', async (t) => {
    const node = await start(t, { name: 'PostgreSQL' }, { migrates: true })
    const database = node.database as NonNullable<typeof node.database>
    const { role, schema } = database
    const runQuery = (text: string) => runOn(database, text)
    const names = `'${role}_ada', '${role}_bob', '${role}'`

    await t.test('are not created, changed or dropped with users of the same name', async (t) => {
      await runQuery(`CREATE ROLE ${role}_ada LOGIN CREATEDB PASSWORD 'hers'`)
      t.after(() => runQuery(`DROP ROLE ${role}_ada`))
      const roles = () => runQuery(`SELECT * FROM pg_authid WHERE rolname IN (${names}) ORDER BY rolname`)
      const before = await roles()
      assert.equal(before.length, 2)
      const [ada, bob] = [
        await createUser(node, { username: `${role}_ada`, password: 'plum-violet-48-tractor', role: 'admin' }),
        await createUser(node, { username: `${role}_bob`, role: 'admin' }),
      ]
      assert.deepEqual(await roles(), before)
      const change = { username: `${role}_Ada`, password: 'rusty-harbour-73-kettle', active: false }
      assert.equal((await node.call('PATCH', `/users/${ada.user_id}`, { body: change })).status, 200)
      assert.deepEqual(await roles(), before)
      assert.equal((await node.call('DELETE', `/users/${ada.user_id}`)).status, 200)
      assert.equal((await node.call('PATCH', `/users/${bob.user_id}`, { body: { first_name: 'Bob' } })).status, 200)
      assert.deepEqual(await roles(), before, 'hers survives')
    })

    await t.test('include ours, which may connect and use the schema it owns, and nothing else', async () => {
      const [itself] = await runQuery(`
        SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls, rolcanlogin
        FROM pg_roles WHERE rolname = '${role}'`)
      assert.deepEqual(itself, {
        rolsuper: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolreplication: false,
        rolbypassrls: false,
        rolcanlogin: true,
      })
      assert.deepEqual(await runQuery(`SELECT 1 FROM pg_auth_members WHERE member = '${role}'::regrole`), [])
      const [onDatabase] = await runQuery(`
        SELECT has_database_privilege('${role}', current_database(), 'CONNECT') AS connect,
          has_database_privilege('${role}', current_database(), 'CREATE') AS create,
          has_database_privilege('${role}', current_database(), 'TEMPORARY') AS temporary`)
      assert.deepEqual(onDatabase, { connect: true, create: false, temporary: false })
      const owned = await runQuery(`SELECT nspname FROM pg_namespace WHERE nspowner = '${role}'::regrole`)
      assert.deepEqual(owned, [{ nspname: schema }])
      const writable = await runQuery(`
        SELECT nspname FROM pg_namespace WHERE has_schema_privilege('${role}', oid, 'CREATE')`)
      assert.deepEqual(writable, [{ nspname: schema }])
      const elsewhere = await runQuery(`
        SELECT oid::regclass::text FROM pg_class
        WHERE relkind IN ('r', 'p', 'v', 'm', 'S') AND relnamespace <> '${schema}'::regnamespace
          AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
          AND (relowner = '${role}'::regrole OR has_table_privilege('${role}', oid, 'SELECT, INSERT, UPDATE, DELETE'))`)
      assert.deepEqual(elsewhere, [])
    })

    await t.test('include ours, which creates objects only in its schema, whatever happens', async () => {
      const created = await runQuery(`
        SELECT classid::regclass::text, objid FROM pg_shdepend
        WHERE refobjid = '${role}'::regrole AND deptype = 'o' AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())`)
      const kinds = new Set(created.map(({ classid }) => classid))
      assert.deepEqual([...kinds].sort(), ['pg_class', 'pg_namespace', 'pg_proc'])
      const outside = await runQuery(`
        SELECT relname FROM pg_class WHERE relowner = '${role}'::regrole AND relnamespace <> '${schema}'::regnamespace
          AND relnamespace <> 'pg_toast'::regnamespace
        UNION ALL
        SELECT proname FROM pg_proc WHERE proowner = '${role}'::regrole AND pronamespace <> '${schema}'::regnamespace`)
      assert.deepEqual(outside, [])
    })
  })
})
