/** What the last apply made of each object, and the last applies. */
import type { SectionName } from '../../core/configuration-file.ts'
import type { Db, Transaction } from '../../store/db/db.ts'
import { givenRows, texts } from '../../store/db/dialect.ts'
import { sql } from '../../store/db/sql.ts'
import { defineTable, type RowOf, text } from '../../store/db/table.ts'
import type { Mark } from './plan.ts'

const objects = defineTable('configuration_objects', {
  section: text<SectionName>(),
  object_id: text(),
  name: text(),
  origin: text<Mark['origin']>(),
  /** JSON: a digest of each member. */
  applied: text(),
  /** JSON: keyed fingerprints of secrets. */
  secrets: text(),
})

type ObjectRow = RowOf<typeof objects>

const objectRows = givenRows<ObjectRow>({
  section: 'text',
  object_id: 'text',
  name: 'text',
  origin: 'text',
  applied: 'text',
  secrets: 'text',
})

export async function listMarks(db: Db): Promise<Mark[]> {
  const rows = await db.all<ObjectRow>(sql`
    SELECT ${objects.columns} FROM configuration_objects ORDER BY section, name, object_id`)
  return rows.map(({ applied, secrets, ...row }) => ({
    ...row,
    applied: JSON.parse(applied) as Mark['applied'],
    secrets: JSON.parse(secrets) as Mark['secrets'],
  }))
}

export async function deleteMarks(db: Transaction, section: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.run(sql`
    DELETE FROM configuration_objects
    WHERE section = ${section} AND object_id IN (SELECT value FROM ${texts(db, ids)})`)
}

/** Replaces marks: all in one statement, because there may be thousands. */
export async function insertMarks(db: Transaction, marks: readonly Mark[]): Promise<void> {
  if (marks.length === 0) return
  const rows = marks.map(
    ({ applied, secrets, ...mark }): ObjectRow => ({
      ...mark,
      applied: JSON.stringify(applied),
      secrets: JSON.stringify(secrets),
    }),
  )
  await db.run(sql`
    INSERT INTO configuration_objects (${objects.columns})
    SELECT ${objects.columns} FROM ${objectRows(db, rows)}`)
}

const applies = defineTable('configuration_applies', {
  apply_id: text(),
  applied_at: text(),
  request_id: text(),
  actor_kind: text(),
  actor_id: text(),
  source: text(null),
  generation: text(null),
  /** JSON: the counts and the changes. */
  plan: text(),
})

export type ApplyRow = RowOf<typeof applies>

const insertion = applies.insertion()

export async function insertApply(db: Transaction, row: ApplyRow): Promise<void> {
  await db.run(insertion(row))
}

/** The latest first. */
export function listApplies(db: Db, limit: number): Promise<ApplyRow[]> {
  return db.all<ApplyRow>(sql`
    SELECT ${applies.columns} FROM configuration_applies ORDER BY apply_id DESC LIMIT ${limit}`)
}

export async function deleteAppliesBefore(db: Transaction, applyId: string): Promise<void> {
  await db.run(sql`DELETE FROM configuration_applies WHERE apply_id < ${applyId}`)
}
