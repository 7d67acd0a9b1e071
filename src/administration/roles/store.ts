import type { Scope } from '../../core/scope.ts'
import type { Db, Transaction } from '../../store/db/db.ts'
import { forUpdate } from '../../store/db/dialect.ts'
import { andWithin, conditionsWithin } from '../../store/db/scope.ts'
import { rawSql, sql } from '../../store/db/sql.ts'
import { defineTable, integer, type RowOf, text } from '../../store/db/table.ts'

const roles = defineTable('roles', {
  role: text(),
  version: integer(),
  description: text(''),
  /** A JSON array of permission words. */
  permissions: text(),
  /** `file`: a configuration file made it. */
  managed_by: text(null),
  /** Set while its holders are being given this role. */
  replaced_by: text(null),
  created_at: text(),
  updated_at: text(),
})

export type RoleRow = RowOf<typeof roles>

const insertion = roles.insertion('ON CONFLICT DO NOTHING')
const updating = roles.update('role', { except: ['created_at'] })

/** Returns false if there is a stored role of this name. */
export async function insertRole(db: Transaction, row: RoleRow): Promise<boolean> {
  return (await db.run(insertion(row))) > 0
}

export async function updateRole(db: Transaction, row: RoleRow): Promise<void> {
  await db.run(updating(row))
}

export async function deleteRole(db: Transaction, role: string): Promise<void> {
  await db.run(sql`DELETE FROM roles WHERE role = ${role}`)
}

export function findRole(db: Db, role: string): Promise<RoleRow | undefined> {
  return db.get<RoleRow>(sql`SELECT ${roles.columns} FROM roles WHERE role = ${role}`)
}

/** The role, held against changes by others until this transaction ends. */
export function findRoleForChange(db: Db, role: string): Promise<RoleRow | undefined> {
  return db.get<RoleRow>(sql`SELECT ${roles.columns} FROM roles WHERE role = ${role} ${forUpdate(db)}`)
}

/** Every stored role, by name. */
export function listRoles(db: Db): Promise<RoleRow[]> {
  return db.all<RoleRow>(sql`SELECT ${roles.columns} FROM roles ORDER BY role`)
}

export async function countRoles(db: Db): Promise<number> {
  return Number((await db.get<{ n: number }>(sql`SELECT count(*) AS n FROM roles`))?.n ?? 0)
}

/** The names of the roles that users or groups have. */
export async function findHeldRoles(db: Db): Promise<string[]> {
  const rows = await db.all<{ role: string }>(sql`
    SELECT DISTINCT role FROM users UNION SELECT role FROM user_groups WHERE role IS NOT NULL ORDER BY role`)
  return rows.map(({ role }) => role)
}

export type RoleCount = { role: string; users: number; groups: number }

/** How many users and groups have each role that any of them has, by name. */
export async function countHolders(db: Db, scope: Scope): Promise<RoleCount[]> {
  const [within] = conditionsWithin(scope, rawSql('organization_id'))
  const where = within === undefined ? rawSql('') : sql`WHERE ${within} `
  const rows = await db.all<RoleCount>(sql`
    SELECT role, sum(users) AS users, sum(given) AS groups FROM (
      SELECT role, count(*) AS users, 0 AS given FROM users ${where}GROUP BY role
      UNION ALL
      SELECT role, 0 AS users, count(*) AS given FROM user_groups WHERE role IS NOT NULL${andWithin(scope)} GROUP BY role) AS held
    GROUP BY role ORDER BY role`)
  return rows.map(({ role, users, groups }) => ({ role, users: Number(users), groups: Number(groups) }))
}
