import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import type { Transaction } from '../../store/db/db.ts'
import { migrate } from '../../store/db/migrate.ts'
import { renderSql, type Sql } from '../../store/db/sql.ts'
import { openConnection } from '../../store/db/sqlite/connection.ts'
import { cancelMails, findWork, listDue } from './store.ts'

it('what every step and every new link asks SQLite uses the index made for it, however many messages wait', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
  const connection = openConnection({ path: join(directory, 'rollbook.db') })
  t.after(() => {
    connection.close()
    rmSync(directory, { recursive: true })
  })
  await migrate(connection, Date.UTC(2026, 10, 20))
  const seen: string[] = []
  const look = (statement: Sql) => {
    const { text, parameters } = renderSql(statement, () => '?')
    const steps = connection.raw.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...parameters)
    seen.push(steps.map(({ detail }) => String(detail)).join('; '))
  }
  const watched: Transaction = {
    ...connection,
    get(statement) {
      look(statement)
      return connection.get(statement)
    },
    all(statement) {
      look(statement)
      return connection.all(statement)
    },
    run(statement) {
      look(statement)
      return connection.run(statement)
    },
  }
  const now = '2026-11-20T00:00:00.000Z'
  await listDue(watched, now, 5)
  await findWork(watched)
  await cancelMails(watched, ['one'], now)
  for (const [i, index] of ['mails_due', 'mails_due', 'mails_link'].entries()) {
    assert.match(seen[i] ?? '', new RegExp(`mails USING (COVERING )?INDEX ${index} `))
    assert.doesNotMatch(seen[i] ?? '', /TEMP B-TREE|mails_status/)
  }
})
