import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { sql } from '../sql.ts'
import { openConnection } from './connection.ts'
import { commitLazily } from './lazy-commit.ts'

const [normal, full] = [1, 2]

function openNumbers(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-lazy-commit-'))
  const connection = openConnection({ path: join(directory, 'numbers.db') })
  t.after(() => {
    connection.close()
    rmSync(directory, { recursive: true })
  })
  connection.exec('CREATE TABLE numbers (n INTEGER)')
  const modeOf = () => connection.raw.prepare('PRAGMA synchronous').get()?.synchronous
  return { connection, modeOf, add: () => connection.run(sql`INSERT INTO numbers VALUES (1)`) }
}

const countOf = async ({ connection }: ReturnType<typeof openNumbers>) =>
  Number((await connection.get<{ n: bigint }>(sql`SELECT count(*) AS n FROM numbers`))?.n)

describe('a commit that does not wait for the disk', () => {
  it('is followed by commits that do', async (t) => {
    const numbers = openNumbers(t)
    const { connection, modeOf, add } = numbers
    await commitLazily(connection, async () => {
      assert.equal(modeOf(), normal)
      await add()
    })
    assert.deepEqual([modeOf(), await countOf(numbers)], [full, 1])
  })

  it('is undone when its work fails, and followed by commits that wait', async (t) => {
    const numbers = openNumbers(t)
    const { connection, modeOf, add } = numbers
    const work = async () => {
      await add()
      throw new Error('The work failed.')
    }
    await assert.rejects(commitLazily(connection, work), /The work failed/)
    assert.deepEqual([modeOf(), await countOf(numbers)], [full, 0])
  })
})
