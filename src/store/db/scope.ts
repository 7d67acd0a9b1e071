/** The one place that turns a scope into SQL. */
import type { Scope } from '../../core/scope.ts'
import { type FixedSql, fixedSql, type Sql, sql } from './sql.ts'

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
