/**
 * Steps along the index of an organization on SQLite. Of a range with two ends, SQLite compares the whole key at each step, which takes
 * five times as long as the step. So these statements have no second end: they go on into the next organization, whose rows are dropped.
 */
import type { Db } from '../../store/db/db.ts'
import { rawSql, sql } from '../../store/db/sql.ts'
import { costs, countRows } from './sqlite-rows.ts'

/** Smaller ones are counted at once. */
const many = 2000

/** The last known numbers of users, for each connection. Each is checked before it is used. */
const counts = new WeakMap<Db, Map<string, number>>()

export async function countOfOrganization(db: Db, organization: string): Promise<number> {
  const known = counts.get(db) ?? new Map<string, number>()
  counts.set(db, known)
  const total = await countFrom(db, organization, known.get(organization) ?? 0)
  if (total > many) known.set(organization, total)
  else known.delete(organization)
  return total
}

/** If the row at the known end belongs to the organization, all before it do, and only those behind it have to be counted. */
async function countFrom(db: Db, organization: string, known: number): Promise<number> {
  const all = sql`users WHERE organization_id = ${organization}`
  if (known === 0) return countRows(db, all)
  db.meter?.spend(known * costs.step)
  const [last, next] = await db.all<{ organization_id: string; row_id: number }>(sql`
    SELECT organization_id, row_id FROM users INDEXED BY users_organization WHERE organization_id >= ${organization}
    ORDER BY organization_id, row_id LIMIT 2 OFFSET ${known - 1}`)
  if (last?.organization_id !== organization) return countRows(db, all)
  return next?.organization_id === organization
    ? known + (await countRows(db, sql`${all} AND row_id > ${last.row_id}`))
    : known
}

/** The numbers of its users in their order, from the nearer end. */
export async function numbersOfOrganization(
  db: Db,
  organization: string,
  { descending, limit, offset }: { descending: boolean; limit: number; offset: number },
): Promise<number[]> {
  db.meter?.spend((offset + limit) * costs.step)
  const [beyond, direction] = descending ? [rawSql('<='), rawSql('DESC')] : [rawSql('>='), rawSql('ASC')]
  const found = await db.all<{ row_id: number }>(sql`
    SELECT row_id FROM (
      SELECT organization_id, row_id FROM users INDEXED BY users_organization WHERE organization_id ${beyond} ${organization}
      ORDER BY organization_id ${direction}, row_id ${direction} LIMIT ${limit} OFFSET ${offset})
    WHERE organization_id = ${organization}`)
  return found.map(({ row_id }) => row_id)
}
