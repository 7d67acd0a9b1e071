import type { Db, Transaction } from '../../store/db/db.ts'
import { forUpdate } from '../../store/db/dialect.ts'
import { sql } from '../../store/db/sql.ts'
import { defineTable, integer, type RowOf, text } from '../../store/db/table.ts'

const policies = defineTable('policies', {
  name: text<'second_factor' | 'inactivity'>(),
  version: integer(),
  /** JSON. */
  value: text(),
  /** `file`: a configuration file set it. */
  managed_by: text(null),
  updated_at: text(),
})

export type PolicyRow = RowOf<typeof policies>

const insertion =
  policies.insertion(`ON CONFLICT (name) DO UPDATE SET version = excluded.version, value = excluded.value,
  managed_by = excluded.managed_by, updated_at = excluded.updated_at`)

export async function setPolicy(db: Transaction, row: PolicyRow): Promise<void> {
  await db.run(insertion(row))
}

export function listPolicies(db: Db): Promise<PolicyRow[]> {
  return db.all<PolicyRow>(sql`SELECT ${policies.columns} FROM policies ORDER BY name`)
}

/** The policies, held against changes by others until this transaction ends. */
export function listPoliciesForChange(db: Db): Promise<PolicyRow[]> {
  return db.all<PolicyRow>(sql`SELECT ${policies.columns} FROM policies ORDER BY name ${forUpdate(db)}`)
}
