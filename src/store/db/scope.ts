/** The one place that turns a scope into SQL. */
import type { Scope } from '../../core/scope.ts'
import type { Db } from './db.ts'
import { type FixedSql, fixedSql, rawSql, type Sql, sql } from './sql.ts'

const nothing = fixedSql('')
const within = [' AND organization_id = ', '']

/**
 * The end of a WHERE over a table with the column `organization_id`. Empty for everyone, so that a statement is then the same text as
 * without scopes.
 */
export function andWithin(scope: Scope): FixedSql {
  return scope.kind === 'everyone' ? nothing : { fixed: within, values: [scope.organization_id] }
}

/** The same for a list of conditions: none for everyone. */
export function conditionsWithin(scope: Scope, column: Sql): Sql[] {
  return scope.kind === 'everyone' ? [] : [sql`${column} = ${scope.organization_id}`]
}

/**
 * The table of a statement that reads all users of an organization. Of the two indexes of an organization SQLite takes the one by
 * username, whose rows are scattered: reading 200,000 users took five times as long.
 */
export function usersOfOrganizations(db: Db): Sql {
  return rawSql(db.engine === 'sqlite' ? 'users INDEXED BY users_organization' : 'users')
}
