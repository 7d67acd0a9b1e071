import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pg from 'pg'
import { createUser, start } from '../harness.ts'
import { codes, skip, twoNodes, waitUntil } from './nodes.ts'

describe('a change that conflicts with another one', { skip }, () => {
  it('is repeated as a whole', async (t) => {
    const node = await start(t, { name: 'PostgreSQL' })
    const { adminUrl, schema } = node.database as NonNullable<typeof node.database>

    for (const state of ['40001', '40P01', '23505']) {
      await t.test(`after SQLSTATE ${state}, with the same id`, async () => {
        // Sequences keep what a rolled back transaction has done to them.
        await node.runSql(`
          CREATE SEQUENCE tries;
          CREATE SEQUENCE id MINVALUE -2147483648;
          CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
            SET search_path = ${schema} AS $$ BEGIN
            IF nextval('tries') = 1 THEN PERFORM setval('id', hashtext(NEW.user_id)); END IF;
            IF hashtext(NEW.user_id) <> (SELECT last_value FROM id) THEN RAISE EXCEPTION 'another id'; END IF;
            IF (SELECT last_value FROM tries) <= 3 THEN RAISE EXCEPTION USING ERRCODE = '${state}'; END IF;
            RETURN NEW; END $$;
          CREATE TRIGGER conflict BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION conflict()`)
        const user = await createUser(node, { username: `after-${state}` })
        assert.equal((await node.runSql(`SELECT 1 FROM users WHERE user_id = '${user.user_id}'`)).length, 1)
        assert.deepEqual(await node.runSql('SELECT last_value::int FROM tries'), [{ last_value: 4 }])
        await node.runSql('DROP FUNCTION conflict CASCADE; DROP SEQUENCE tries; DROP SEQUENCE id')
      })
    }

    await t.test('after a deadlock', async (t) => {
      const user = await createUser(node, { username: 'first' })
      const other = new pg.Client({ connectionString: adminUrl, options: `-c search_path=${schema}` })
      await other.connect()
      t.after(() => other.end())
      await other.query('BEGIN')
      await other.query("SET LOCAL deadlock_timeout = '1min'")
      await other.query(`
        INSERT INTO users SELECT 'another', version, document, 'second', 'second', email, email_key, external_id,
          first_name, last_name, role, active, password_hash, last_login_at, created_at, updated_at, search_text
        FROM users WHERE username = 'first'`)
      const change = node.call('PATCH', `/users/${user.user_id}`, { body: { username: 'second' } })
      await waitUntil('it waits for the name', 2000, async () => {
        const waiting = await node.runSql(`
          SELECT 1 FROM pg_stat_activity WHERE usename = '${node.database?.role}' AND wait_event_type = 'Lock'`)
        return waiting.length > 0
      })
      // It waits for us, and from here on we wait for it. It alone notices soon, and gives way.
      await other.query(`UPDATE users SET version = version WHERE user_id = '${user.user_id}'`)
      await other.query('ROLLBACK')
      const response = await change
      assert.equal(response.status, 200, response.text)
      assert.equal(response.body.username, 'second')
    })
  })
})

describe('of several that take the same unique value at once', { skip }, () => {
  it('one succeeds, and the others are refused as they are one after another', async (t) => {
    const nodes = await twoNodes(t)
    const [node] = nodes
    const taken = await Promise.all(
      ['one', 'two', 'three', 'four', 'five', 'six'].map((username) => createUser(node, { username })),
    )
    const groups = await Promise.all(
      taken.map(({ username }) => node.call('POST', '/groups', { body: { name: `group ${username}` } })),
    )
    const oidc = {
      kind: 'oidc',
      issuer: 'https://id.orchard.example',
      client_id: 'rollbook',
      client_secret: 'a-secret',
    }
    const atOnce: [what: string, code: string, request: (n: number) => [string, string, object?]][] = [
      ['username', 'username_taken', () => ['POST', '/users', { username: 'eve' }]],
      ['email', 'email_taken', (n) => ['POST', '/users', { username: `eve${n}`, email: 'eve@orchard.example' }]],
      ['external_id', 'external_id_taken', (n) => ['PATCH', `/users/${taken[n]?.user_id}`, { external_id: 'e-1' }]],
      ['new name', 'username_taken', (n) => ['PATCH', `/users/${taken[n]?.user_id}`, { username: 'mallory' }]],
      ['group', 'group_name_taken', () => ['POST', '/groups', { name: 'Sales' }]],
      [
        'new name of a group',
        'group_name_taken',
        (n) => ['PATCH', `/groups/${groups[n]?.body.group_id}`, { name: 'HR' }],
      ],
      [
        'attribute',
        'attribute_name_taken',
        () => ['POST', '/attributes', { name: 'team', label: 'Team', type: 'string' }],
      ],
      ['SCIM connection', 'connection_name_taken', () => ['POST', '/provisioning', { name: 'Okta', profile: 'okta' }]],
      [
        'sign-in connection',
        'connection_name_taken',
        () => ['POST', '/connections', { name: 'Okta', ...oidc, active: false }],
      ],
    ]
    for (const [what, code, request] of atOnce) {
      const answers = await Promise.all(
        taken.map((_, n) => {
          const [method, path, body] = request(n)
          return (nodes[n % 2] ?? node).call(method as 'POST', path, { body })
        }),
      )
      const status = request(0)[0] === 'POST' ? '201' : '200'
      assert.deepEqual([what, codes(answers)], [what, { [status]: 1, [`409 ${code}`]: 5 }])
    }
    // What replaces an earlier one succeeds each time, and leaves one.
    const [{ user_id } = { user_id: '' }] = taken
    const invited = await Promise.all(
      taken.map((_, n) => (nodes[n % 2] ?? node).call('POST', `/users/${user_id}/invitation`)),
    )
    assert.deepEqual(codes(invited), { 200: 6 })
    assert.equal((await node.runSql('SELECT 1 FROM user_links WHERE ended_at IS NULL')).length, 1)
  })
})
