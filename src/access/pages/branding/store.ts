import type { Db, Transaction } from '../../../store/db/db.ts'
import { sql } from '../../../store/db/sql.ts'
import { defineTable, integer, type RowOf, text } from '../../../store/db/table.ts'

const branding = defineTable('branding', {
  scope: text(),
  version: integer(),
  /** JSON of Stored. */
  document: text(),
  updated_at: text(),
  managed_by: text(null),
})

export type BrandingRow = RowOf<typeof branding>

/** The look of the whole product. */
export const scope = 'product'

export function findBranding(db: Db): Promise<BrandingRow | undefined> {
  return db.get<BrandingRow>(sql`SELECT ${branding.columns} FROM branding WHERE scope = ${scope}`)
}

const writing = branding.insertion(`ON CONFLICT (scope) DO UPDATE SET version = excluded.version,
  document = excluded.document, updated_at = excluded.updated_at, managed_by = excluded.managed_by`)

export async function writeBranding(db: Transaction, row: Omit<BrandingRow, 'scope'>): Promise<void> {
  await db.run(writing({ scope, ...row }))
}
