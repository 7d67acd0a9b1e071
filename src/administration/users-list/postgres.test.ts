import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { schemaFor, skip } from '../../../test/nodes/nodes.ts'
import { Client } from '../../store/db/postgres/client.ts'
import { postgresDb } from '../../store/db/postgres/connection.ts'
import { plainPage } from './postgres.ts'

const users = 20_000

async function emptyTable(t: TestContext) {
  const { url, schema } = await schemaFor(t)
  const client = new Client({ connectionString: url, options: `-c search_path=${schema}` })
  // The schema is dropped before the test ends, with the connections to it.
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  await client.query('CREATE TABLE users (user_id text COLLATE "C" PRIMARY KEY, document text NOT NULL)')
  return { client, db: postgresDb(client, schema) }
}

describe('a page on PostgreSQL', { skip }, () => {
  it('is read by a plan that the server keeps, whatever its limit', async (t) => {
    const { client, db } = await emptyTable(t)
    await client.query(`INSERT INTO users SELECT id, json_build_object('user_id', id)
      FROM (SELECT lpad(n::text, 8, '0') AS id FROM generate_series(1, ${users}) AS n) AS ids`)
    await client.query('ANALYZE users')
    for (const limit of [1, 20, 100, 101, 1000]) {
      const after = users - limit - 1
      for (let times = 0; times < 8; times++) {
        const { body, last, more } = await plainPage(
          db,
          { after: String(after).padStart(8, '0'), organization: undefined },
          limit,
        )
        assert.equal(JSON.parse(String(body)).length, limit)
        assert.deepEqual([last, more], [String(users - 1).padStart(8, '0'), true])
      }
    }
    const { rows } = await client.query(`SELECT generic_plans, custom_plans FROM pg_prepared_statements
      WHERE statement LIKE '%SELECT document FROM%'`)
    assert.equal(rows.length, 2)
    // PostgreSQL compares the first five plans before it keeps one.
    for (const { generic_plans, custom_plans } of rows) {
      assert.ok(Number(generic_plans) > 0 && Number(custom_plans) <= 5, JSON.stringify(rows))
    }
  })

  it('within an organization, is read along the index of its users, by that plan too', async (t) => {
    const { client, db } = await emptyTable(t)
    await client.query('ALTER TABLE users ADD organization_id text COLLATE "C", ADD username_key text COLLATE "C"')
    await client.query(`INSERT INTO users SELECT id, json_build_object('user_id', id), (n % 5)::text, md5(id)
      FROM (SELECT n, lpad(n::text, 8, '0') AS id FROM generate_series(1, ${users}) AS n) AS ids`)
    for (const column of ['user_id', 'username_key']) {
      await client.query(`CREATE INDEX by_${column} ON users (organization_id, ${column})
        WHERE organization_id IS NOT NULL`)
    }
    await client.query('ANALYZE users')
    for (const mode of ['force_generic_plan', 'force_custom_plan']) {
      await client.query(`SET plan_cache_mode = ${mode}`)
      const { body } = await plainPage(db, { after: '', organization: '3' }, 50)
      assert.equal(JSON.parse(String(body)).length, 50)
      const { rows } = await client.query(
        `SELECT name FROM pg_prepared_statements WHERE statement LIKE '%organization%'`,
      )
      const { rows: steps } = await client.query(`EXPLAIN EXECUTE "${rows[0].name}"('3', '', '3', '3', '51')`)
      const way = steps.map((row) => row['QUERY PLAN']).join('\n')
      assert.match(way, /Index Scan using by_user_id/, mode)
    }
  })

  it('tells that no user follows, also if it has exactly as many users as the limit', async (t) => {
    const { client, db } = await emptyTable(t)
    const page = async (limit: number) => {
      const { body, ...rest } = await plainPage(db, { after: '', organization: undefined }, limit)
      return { body: Buffer.from(body).toString(), ...rest }
    }
    assert.deepEqual(await page(2), { body: '[]', last: null, more: false })
    await client.query(`INSERT INTO users VALUES ('a', '{"user_id":"a"}'), ('b', '{"user_id":"b"}')`)
    assert.deepEqual(await page(2), {
      body: '[{"user_id":"a"},{"user_id":"b"}]',
      last: null,
      more: false,
    })
    assert.deepEqual(await page(1), { body: '[{"user_id":"a"}]', last: 'a', more: true })
    await client.query('DROP TABLE users')
    await assert.rejects(plainPage(db, { after: '', organization: undefined }, 1), /relation "users" does not exist/)
  })
})
