/**
 * The roles, policies and facts of organizations that administrators change while the service runs, as every thread and node reads them. Their version says
 * whether what a node knows is current. The rules of changing them belong to administration/roles.
 */
import type { InactivityPolicy } from '../../core/inactivity.ts'
import type { Rules } from '../../core/rules.ts'
import type { SecondFactorPolicy } from '../../core/second-factor.ts'
import type { Roles } from '../../core/settings/access.ts'
import type { Db, Transaction } from '../db/db.ts'
import { fixedSql, sql } from '../db/sql.ts'
import { findState } from '../state.ts'

export type StoredRules = {
  /** A count and a random part: no two states have the same, even if a transaction is rolled back in between. */
  version: string
  roles: Roles
  /** Those of them that are being replaced, each with the role that replaces it. */
  replacements: Readonly<Record<string, string>>
  secondFactor: SecondFactorPolicy | undefined
  inactivity: InactivityPolicy | undefined
  /** The ids of those organizations that are disabled, and of those that require a second factor. */
  organizations: { disabled: readonly string[]; secondFactor: readonly string[] }
}

/** The version of a store whose roles and policies were never changed. */
export const firstVersion = ''

export const versionState = 'rules'

export async function findRulesVersion(db: Db): Promise<string> {
  return (await findState(db, versionState)) ?? firstVersion
}

/**
 * The version, which stays the same until this transaction ends: the part without rows locks the table of roles before the version
 * is read, and a change of rules waits for that lock. For such a change itself (`alone`) no other change runs meanwhile.
 */
export async function holdRulesVersion(db: Transaction, how: 'shared' | 'alone'): Promise<string> {
  if (how === 'alone') await db.run(lockingRules)
  const row = await db.get<{ value: string }>(sql`
    ${how === 'alone' ? nothing : lockingRoles} SELECT value FROM journal_state WHERE name = ${versionState}`)
  return row?.value ?? firstVersion
}

const lockingRules = sql`LOCK TABLE roles IN EXCLUSIVE MODE`
const lockingRoles = fixedSql('WITH held AS (SELECT 1 FROM roles WHERE false FOR SHARE)')
const nothing = fixedSql('')

type OrganizationRow = { organization_id: string; active: number; second_factor: string | null }
type RoleRow = { role: string; permissions: string; replaced_by: string | null }

/** The version is read first: if a change commits in between, the next comparison of versions finds that. */
export async function readStoredRules(db: Db): Promise<StoredRules> {
  const version = await findRulesVersion(db)
  const rows = await db.all<RoleRow>(sql`SELECT role, permissions, replaced_by FROM roles ORDER BY role`)
  const policies = await db.all<{ name: string; value: string }>(sql`SELECT name, value FROM policies`)
  const storedAs = (wanted: string) => policies.find(({ name }) => name === wanted)?.value
  const secondFactor = storedAs('second_factor')
  const inactivity = storedAs('inactivity')
  const organizations = await db.all<OrganizationRow>(sql`
    SELECT organization_id, active, second_factor FROM organizations WHERE active = 0 OR second_factor IS NOT NULL`)
  const idsOf = (rows: readonly OrganizationRow[]) => rows.map(({ organization_id }) => organization_id)
  return {
    version,
    roles: withoutPrototype(rows.map(({ role, permissions }) => [role, JSON.parse(permissions) as string[]])),
    replacements: withoutPrototype(
      rows.flatMap(({ role, replaced_by }) => (replaced_by === null ? [] : [[role, replaced_by] as const])),
    ),
    secondFactor:
      secondFactor === undefined
        ? undefined
        : withoutPrototype(Object.entries(JSON.parse(secondFactor) as SecondFactorPolicy)),
    inactivity:
      inactivity === undefined ? undefined : ((JSON.parse(inactivity) as InactivityPolicy | null) ?? undefined),
    organizations: {
      disabled: idsOf(organizations.filter(({ active }) => active === 0)),
      secondFactor: idsOf(organizations.filter(({ second_factor }) => second_factor === 'required')),
    },
  }
}

/** A role named "constructor" must find nothing but a role. */
function withoutPrototype<Value>(entries: Iterable<readonly [string, Value]>): Readonly<Record<string, Value>> {
  return Object.assign(Object.create(null), Object.fromEntries(entries))
}

/**
 * The rules in force with these stored ones. A role that is being replaced gives what its replacement gives, from the beginning:
 * then it makes no difference which holders have been moved.
 */
export function rulesWith(base: Rules, stored: Omit<StoredRules, 'version'>): Rules {
  const { configuredRoles, configuredSecondFactor } = base
  const isOwn = (role: string) => !Object.hasOwn(configuredRoles, role)
  const permissionsOf = (role: string) => configuredRoles[role] ?? stored.roles[role] ?? []
  const own = Object.keys(stored.roles).filter(isOwn)
  const current = own.map((role) => [role, permissionsOf(stored.replacements[role] ?? role)] as const)
  return {
    ...base,
    roles: withoutPrototype([...Object.entries(configuredRoles), ...current]),
    closedRoles: Object.keys(stored.replacements).filter(isOwn),
    inactivity: stored.inactivity,
    secondFactor: configuredSecondFactor ?? stored.secondFactor ?? { '*': 'optional' },
    disabledOrganizations: new Set(stored.organizations.disabled),
    secondFactorOrganizations: new Set(stored.organizations.secondFactor),
  }
}

/** How many changes of rules there were. */
export function countOf(version: string): number {
  return Number.parseInt(version, 10) || 0
}

/** Whether changes of other nodes must be held off while rules change: on SQLite changes run one after another. */
