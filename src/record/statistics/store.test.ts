import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { system } from '../../core/actor.ts'
import { scopeOf } from '../../core/scope.ts'
import type { Transaction } from '../../store/db/db.ts'
import { migrate } from '../../store/db/migrate.ts'
import { renderSql } from '../../store/db/sql.ts'
import { openConnection } from '../../store/db/sqlite/connection.ts'
import { countFactorOwners } from './store.ts'

it('SQLite counts the users with a factor without reading the factors, which takes twelve times as long', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
  const connection = openConnection({ path: join(directory, 'rollbook.db') })
  t.after(() => {
    connection.close()
    rmSync(directory, { recursive: true })
  })
  await migrate(connection, Date.UTC(2026, 10, 20))
  const plans: string[] = []
  const watched: Transaction = {
    ...connection,
    get(statement) {
      const { text, parameters } = renderSql(statement, () => '?')
      const steps = connection.raw.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...parameters)
      plans.push(steps.map(({ detail }) => String(detail)).join('; '))
      return connection.get(statement)
    },
  }
  await countFactorOwners(watched, scopeOf(system))
  assert.match(plans[0] ?? '', /factors USING COVERING INDEX factors_owners/)
  assert.doesNotMatch(plans[0] ?? '', /TEMP B-TREE/)
})
