import type { Db, Transaction } from '../db/db.ts'
import { joinSql, rawSql, sql } from '../db/sql.ts'
import type { SealedKind, SealedRow } from './sealed-values.ts'

export type SecretRow = {
  name: string
  value: string
  /** 1: `value` is encrypted. */
  sealed: number
  created_at: string
}

export function listSecrets(db: Db): Promise<SecretRow[]> {
  return db.all<SecretRow>(sql`SELECT name, value, sealed, created_at FROM secrets`)
}

/** Inserts it unless the name exists. */
export async function insertSecret(db: Transaction, row: SecretRow): Promise<void> {
  await db.run(sql`
    INSERT INTO secrets (name, value, sealed, created_at)
    VALUES (${row.name}, ${row.value}, ${row.sealed}, ${row.created_at}) ON CONFLICT DO NOTHING`)
}

/** Rows with secrets, in the order of their keys. */
export function listSealed(
  db: Db,
  { table, key, columns, sealed, rows, plain }: SealedKind,
  { after = '', limit, plainOnly = false, descending = false }: SealedRange,
): Promise<SealedRow[]> {
  const flag = sealed === '' ? '0' : sealed
  const filter = plainOnly ? `${rows} AND ${plain}` : rows
  return db.all<SealedRow>(sql`
    SELECT ${rawSql(`${key} AS id, ${flag} AS sealed, ${columns.join(', ')} FROM ${table} WHERE ${filter} AND ${key}`)} > ${after}
    ORDER BY ${rawSql(`${key} ${descending ? 'DESC' : 'ASC'}`)} LIMIT ${limit}`)
}

export type SealedRange = { after?: string; limit: number; plainOnly?: boolean; descending?: boolean }

/**
 * Replaces the secrets of a row, unless another change has replaced them. `isLost`: they were given up, with what that means for
 * the row. Returns how many rows were changed.
 */
export function replaceSealed(
  db: Transaction,
  { table, key, columns, sealed, lost }: SealedKind,
  { before, after, isLost }: { before: SealedRow; after: SealedRow; isLost: boolean },
): Promise<number> {
  const set = [
    ...columns.map((column) => sql`${rawSql(column)} = ${after[column] ?? null}`),
    ...(sealed === '' ? [] : [rawSql(`${sealed} = 1`)]),
    ...(isLost && lost !== 'replace' && lost.set !== '' ? [rawSql(lost.set)] : []),
  ]
  const same = columns.map((column) => sql`${rawSql(column)} IS NOT DISTINCT FROM ${before[column] ?? null}`)
  return db.run(sql`
    UPDATE ${rawSql(table)} SET ${joinSql(set, ', ')}
    WHERE ${rawSql(key)} = ${before.id} AND ${joinSql(same, ' AND ')}`)
}

export function deleteSealed(db: Transaction, { table, key }: SealedKind, id: string): Promise<number> {
  return db.run(sql`DELETE FROM ${rawSql(table)} WHERE ${rawSql(key)} = ${id}`)
}
