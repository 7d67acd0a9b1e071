/**
 * Commits numbers to a SQLite file whose log the checkpoint thread writes back all the time, and adds each number to a second file
 * once its commit is acknowledged. Ends by being killed.
 */
import { appendFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openConnection } from '../src/store/db/sqlite/connection.ts'
import { keepLog } from '../src/store/sqlite/log-keeper.ts'

const [path, acknowledged] = process.argv.slice(2) as [string, string]
const connection = openConnection({ path })
const log = keepLog({
  connection,
  path,
  onDone() {},
  onFault({ message }) {
    throw new Error(message)
  },
})
connection.exec('CREATE TABLE IF NOT EXISTS numbers (n INTEGER PRIMARY KEY, padding TEXT)')
const insert = connection.raw.prepare('INSERT INTO numbers (padding) VALUES (?)')
for (;;) {
  const { lastInsertRowid } = insert.run('x'.repeat(5000))
  appendFileSync(acknowledged, `${lastInsertRowid}\n`)
  log.look({ passPages: 30, restartPages: 60 })
  await nextTurn()
}
