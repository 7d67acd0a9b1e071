/**
 * Inserts the rows of a store into empty tables like theirs, without triggers, in one transaction: `bare-import.ts <database> <tables>`.
 * Prints how many users a second that were; reading them does not count.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

const [path = '', tables = ''] = process.argv.slice(2)
const rowsAtOnce = 5000

const folder = mkdtempSync(join(tmpdir(), 'rollbook-bare-import-'))
try {
  const source = new DatabaseSync(path, { readOnly: true })
  const target = new DatabaseSync(join(folder, 'bare.db'))
  target.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 12000; PRAGMA cache_size = -65536',
  )
  const names = tables.split(',')
  const list = names.map((name) => `'${name}'`).join(', ')
  const definitions = source
    .prepare(
      `SELECT sql FROM sqlite_schema WHERE tbl_name IN (${list}) AND type IN ('table', 'index') AND sql IS NOT NULL
      ORDER BY type DESC`,
    )
    .all() as { sql: string }[]
  for (const { sql } of definitions) target.exec(sql)

  let milliseconds = 0
  let users = 0
  const timed = (work: () => void) => {
    const begun = performance.now()
    work()
    milliseconds += performance.now() - begun
  }
  timed(() => target.exec('BEGIN'))
  // Row by row in turn, as they were written: a user, its record, its event.
  const tablesOf = names.map((name) => {
    const columns = (source.prepare(`SELECT name FROM pragma_table_info('${name}')`).all() as { name: string }[]).map(
      (column) => column.name,
    )
    const insert = target.prepare(`INSERT INTO ${name} VALUES (${columns.map(() => '?').join(', ')})`)
    const rows = source.prepare(`SELECT * FROM ${name} ORDER BY rowid`).iterate() as Iterator<
      Record<string, SQLInputValue>
    >
    return { name, insert, rows }
  })
  for (let isOver = false; !isOver; ) {
    const pieces = tablesOf.map(({ rows }) => Array.from({ length: rowsAtOnce }, () => rows.next().value))
    isOver = pieces.every(([first]) => first == null)
    timed(() => {
      for (let n = 0; n < rowsAtOnce; n++) {
        tablesOf.forEach(({ name, insert }, t) => {
          const row = pieces[t]?.[n]
          if (row == null) return
          insert.run(...(Object.values(row) as SQLInputValue[]))
          if (name === 'users') users++
        })
      }
    })
  }
  timed(() => target.exec('COMMIT'))
  target.close()
  source.close()
  console.log(users / (milliseconds / 1000))
} finally {
  rmSync(folder, { recursive: true })
}
