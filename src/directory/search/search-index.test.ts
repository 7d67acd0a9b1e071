import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { it } from 'node:test'
import { filling, size } from '../../../test/dense-store.ts'
import { makeMigratedFile } from '../../../test/migrated-file.ts'
import { sql } from '../../store/db/sql.ts'
import { countPending, indexStep, pagesInStep, prepareIndex, rowsInStep } from './search-index.ts'

it('the search index of SQLite is brought up to date in steps that write few pages each, and stays in few pieces', async (t) => {
  const { db, path } = await makeMigratedFile(t)
  await db.alone(() => prepareIndex(db))
  const settings = await db.all(sql`SELECT k, v FROM users_search_config WHERE k LIKE '%merge' ORDER BY k`)
  assert.deepEqual(
    settings.map((row) => Object.values(row)),
    [
      ['automerge', 0],
      ['crisismerge', 1999],
    ],
  )
  db.exec(filling)
  db.exec('PRAGMA wal_autocheckpoint = 0')
  const pagesInLog = () => Math.floor(statSync(`${path}-wal`).size / 4096)
  let [steps, most] = [0, 0]
  // Twice, so that there is something to replace.
  for (let round = 0; round < 2; round++) {
    for (let goesOn = true; goesOn; ) {
      const [before, waiting] = [pagesInLog(), await countPending(db)]
      const { rows, isMerging } = await db.alone(() => indexStep(db))
      steps++
      most = Math.max(most, pagesInLog() - before)
      assert.equal(rows, Math.min(waiting, rowsInStep))
      goesOn = rows > 0 || isMerging
    }
    db.exec('INSERT INTO search_pending SELECT row_id FROM users')
  }
  assert.ok(steps >= (2 * size) / rowsInStep)
  // The pages that are merged, as many of the rows and of what was deleted, and those that lead there.
  assert.ok(most <= 4 * pagesInStep, `${most} pages were written in one step`)
  const pieces = await db.get<{ n: number }>(sql`SELECT count(DISTINCT segid) AS n FROM users_search_idx`)
  assert.ok(Number(pieces?.n) <= 16, `${pieces?.n} pieces are left`)
  const found = await db.get<{ n: number }>(
    sql`SELECT count(*) AS n FROM users_search WHERE users_search MATCH '"lin"'`,
  )
  assert.equal(found?.n, size)
})
