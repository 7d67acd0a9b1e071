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

/** The look of the whole product. Others are those of organizations, by their ids. */
export const scope = 'product'

export function findBranding(db: Db, of: string): Promise<BrandingRow | undefined> {
  return db.get<BrandingRow>(sql`SELECT ${branding.columns} FROM branding WHERE scope = ${of}`)
}

/** Whether an organization has a branding. */
export async function hasOthers(db: Db): Promise<boolean> {
  return (await db.get(sql`SELECT 1 FROM branding WHERE scope <> ${scope} LIMIT 1`)) !== undefined
}

const writing = branding.insertion(`ON CONFLICT (scope) DO UPDATE SET version = excluded.version,
  document = excluded.document, updated_at = excluded.updated_at, managed_by = excluded.managed_by`)

export async function writeBranding(db: Transaction, row: BrandingRow): Promise<void> {
  await db.run(writing(row))
}
