/** The roles as the API shows them: those in force, and those that are only held. */
import { createHash } from 'node:crypto'
import type { Rules } from '../../core/rules.ts'
import { builtInRoles } from '../../core/settings/access.ts'
import type { QueryHandlers } from '../../store/storage/registry.ts'
import type { Role } from './schema.ts'
import * as store from './store.ts'

type Shown = { role: Role; version: number }

type Sources = {
  rules: Pick<Rules, 'roles' | 'configuredRoles'>
  rows: readonly store.RoleRow[]
  counts: readonly store.RoleCount[]
}

/** First the built-in roles, then those of the settings in their order, then the others by name. */
export function toRoles({ rules, rows, counts }: Sources): Shown[] {
  const byName = new Map(rows.map((row) => [row.role, row]))
  const held = new Map(counts.map((count) => [count.role, count]))
  const configured = Object.keys(rules.configuredRoles)
  const others = new Set([...byName.keys(), ...held.keys()].filter((role) => !configured.includes(role)))
  return [...configured, ...[...others].sort()].map((role) => {
    const row = configured.includes(role) ? undefined : byName.get(role)
    return toRole(rules, { role, row, count: held.get(role) })
  })
}

type Source = { role: string; row: store.RoleRow | undefined; count: store.RoleCount | undefined }

export function toRole(rules: Sources['rules'], { role, row, count }: Source): Shown {
  const built_in = Object.hasOwn(builtInRoles, role)
  const isConfigured = Object.hasOwn(rules.configuredRoles, role)
  const stored: Pick<Role, 'managed_by' | 'replaced_by'> = {
    managed_by: row?.managed_by === 'file' ? 'file' : null,
    ...(row?.replaced_by !== undefined && row.replaced_by !== null && { replaced_by: row.replaced_by }),
  }
  const managed = isConfigured ? { managed_by: built_in ? null : ('settings' as const) } : stored
  const permissions =
    row?.replaced_by === null ? (JSON.parse(row.permissions) as string[]) : [...(rules.roles[role] ?? [])]
  const own = { role, description: row?.description ?? '', permissions, built_in, ...managed }
  const times = { created_at: row?.created_at ?? null, updated_at: row?.updated_at ?? null }
  return {
    role: { ...own, user_count: count?.users ?? 0, group_count: count?.groups ?? 0, ...times },
    version: row?.version ?? versionOf(own),
  }
}

/** Of a role that is not stored: a number that differs when the role does. */
function versionOf(role: object): number {
  return Number.parseInt(createHash('sha256').update(JSON.stringify(role)).digest('hex').slice(0, 12), 16) + 1
}

export const queries = {
  'roles.count_holders': { run: store.countHolders, isQuick: () => false, isBounded: false },
} satisfies QueryHandlers
