import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { rawSql, type Sql, sql } from '../sql.ts'
import { type Connection, openConnection } from './connection.ts'

function open(t: TestContext): Connection {
  const connection = openConnection({ path: ':memory:' })
  t.after(() => connection.close())
  connection.exec("CREATE TABLE things (name TEXT UNIQUE); INSERT INTO things VALUES ('a'), ('b'), ('c')")
  return connection
}

const counted: [string, Sql, Method, number][] = [
  ['an insertion', sql`INSERT INTO things VALUES ('d'), ('e')`, 'run', 2],
  ['an insertion that finds its name taken', sql`INSERT INTO things VALUES ('a') ON CONFLICT DO NOTHING`, 'run', 0],
  ['an update without a match', sql`UPDATE things SET name = 'x' WHERE name = 'y'`, 'run', 0],
  ['a deletion that returns rows', sql`DELETE FROM things RETURNING name`, 'returning', 3],
  ['a deletion that returns no row', sql`DELETE FROM things WHERE name = 'y' RETURNING name`, 'returning', 0],
  ['a composed statement', sql`DELETE FROM things WHERE ${rawSql("name < 'c'")}`, 'run', 2],
  ['a read', sql`SELECT name FROM things`, 'all', 0],
  ['a read of one row', sql`SELECT name FROM things`, 'get', 0],
  ['a read that does not begin with SELECT', sql`WITH n (name) AS (SELECT 1) SELECT name FROM n`, 'all', 0],
]
type Method = 'run' | 'returning' | 'get' | 'all'

describe('connection to SQLite', () => {
  for (const [what, statement, method, rows] of counted) {
    it(`counts the rows that ${what} writes`, async (t) => {
      const connection = open(t)
      await connection[method](statement)
      assert.equal(connection.written(), rows)
    })
  }

  it('counts what was undone as well', async (t) => {
    const connection = open(t)
    const undone = connection.undoable(async () => {
      await connection.run(sql`INSERT INTO things VALUES ('d')`)
      throw new Error('undo')
    })
    await assert.rejects(undone, /undo/)
    assert.equal(connection.written(), 1)
  })
})
