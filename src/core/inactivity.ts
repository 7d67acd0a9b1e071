/**
 * The inactivity rule: who is disabled after a time without use, and when they are told before. The only place that decides it, from
 * facts alone.
 */
import { isRoleName } from './role-names.ts'

/** Without use for `days`, a user is disabled, and is told `notice_days` before. */
export type InactivityLimit = { days: number; notice_days: number }

/** By `*`, role, `group:<name>`, `kind:service` and `managed`. */
export type InactivityRule = Readonly<Record<string, InactivityLimit>>

/** A rule in force. `since`: from when on users are told by it; earlier notices belong to a rule that was removed. */
export type InactivityPolicy = { since: string; rule: InactivityRule }

/** Service accounts, and users whom an identity provider manages: no other limit is theirs. */
export const [serviceKey, managedKey] = ['kind:service', 'managed'] as const

const groupKey = /^group:[^\p{Cc}]{1,128}$/u

/** Whether a rule may have a limit under this name. The role must exist as well. */
export function isInactivityName(name: string): boolean {
  return name === '*' || name === serviceKey || name === managedKey || isRoleName(name) || groupKey.test(name)
}

export function rolesInRule(rule: InactivityRule): string[] {
  return Object.keys(rule).filter((name) => name !== '*' && name !== managedKey && isRoleName(name))
}

/** What a user's limit depends on. */
export type Classed = {
  role: string
  /** Roles through groups, with spaces between. */
  group_roles: string
  /** Names of groups, at least of those that the rule names. */
  groups: readonly string[]
  kind: string
  managed_by: string | null
}

/** Returns the limit of a user: the one with the fewest days, and of those the longest notice. */
export function limitOf(rule: InactivityRule, user: Classed): InactivityLimit | undefined {
  const limits = namesOf(user).flatMap((name) => findLimit(rule, name))
  return limits.toSorted((a, b) => a.days - b.days || b.notice_days - a.notice_days)[0]
}

function namesOf({ role, group_roles, groups, kind, managed_by }: Classed): string[] {
  if (managed_by !== null) return [managedKey]
  if (kind === 'service') return [serviceKey]
  const roles = [role, ...group_roles.split(' ')].filter((name) => name !== '' && name !== managedKey)
  return ['*', ...roles, ...groups.map((name) => `group:${name}`)]
}

/** Names of groups are compared without regard to case, as everywhere. */
function findLimit(rule: InactivityRule, name: string): InactivityLimit[] {
  if (!name.startsWith('group:')) return Object.hasOwn(rule, name) ? [rule[name] as InactivityLimit] : []
  const wanted = name.toLowerCase()
  return Object.entries(rule).flatMap(([key, limit]) => (key.toLowerCase() === wanted ? [limit] : []))
}

/** Whether the rule has a limit for the group of this name. */
export function hasLimit(rule: InactivityRule, group: string): boolean {
  return findLimit(rule, `group:${group}`).length > 0
}

/** Instants in RFC 3339; null: never. */
export type Use = {
  created_at: string
  enabled_at: string | null
  last_login_at: string | null
  /** Of a session, a key, or an access token of either. */
  last_used_at: string | null
  noticed_at: string | null
  /** When the notice said that the user would be disabled. */
  notice_ends_at: string | null
}

/** When a user is told and disabled if they do not return, in epoch milliseconds. */
export type Course = {
  /** Undefined: they never used their access. */
  lastUseMs: number | undefined
  isNoticed: boolean
  noticeMs: number
  disableMs: number
}

const dayMs = 86_400_000

/**
 * Returns what happens to a user without further use. Who has not been told is told first, `notice_days` before, also if that is
 * overdue; a later use, or enabling the user, starts again.
 *
 * @param now epoch milliseconds
 */
export function courseOf(
  { since }: Pick<InactivityPolicy, 'since'>,
  limit: InactivityLimit,
  use: Use,
  now: number,
): Course {
  const uses = [use.last_login_at, use.last_used_at].flatMap((at) => (at === null ? [] : [Date.parse(at)]))
  const lastUseMs = uses.length === 0 ? undefined : Math.max(...uses)
  const countsFrom = Math.max(
    ...uses,
    Date.parse(use.created_at),
    use.enabled_at === null ? 0 : Date.parse(use.enabled_at),
  )
  const dueMs = countsFrom + limit.days * dayMs
  const noticeDueMs = dueMs - limit.notice_days * dayMs
  const noticedMs = use.noticed_at === null ? Number.NaN : Date.parse(use.noticed_at)
  if (noticedMs >= Math.max(noticeDueMs, Date.parse(since)) && noticedMs <= now) {
    const promisedMs = use.notice_ends_at === null ? 0 : Date.parse(use.notice_ends_at)
    return { lastUseMs, isNoticed: true, noticeMs: noticedMs, disableMs: Math.max(dueMs, promisedMs) }
  }
  const noticeMs = Math.max(noticeDueMs, now)
  return { lastUseMs, isNoticed: false, noticeMs, disableMs: noticeMs + limit.notice_days * dayMs }
}

/** The fewest days after which the rule tells, or disables, a user. Users with a later use are not affected. */
export function fewestDays(rule: InactivityRule, until: 'notice' | 'end'): number {
  return Math.min(...Object.values(rule).map(({ days, notice_days }) => (until === 'end' ? days : days - notice_days)))
}

export function mostNoticeDays(rule: InactivityRule): number {
  return Math.max(0, ...Object.values(rule).map(({ notice_days }) => notice_days))
}

const [freeUsers, freeShare] = [10, 0.05]

/** Whether a run that would disable so many users stops, and waits for a confirmation. */
export function isTooMany(users: number, activeUsers: number): boolean {
  return users > freeUsers && users > freeShare * activeUsers
}

/** Names in the store: the job, which runs once an hour on one node, and the state of a run that stopped. */
export const [inactivityJob, inactivityStop] = ['inactivity', 'inactivity_stop'] as const
