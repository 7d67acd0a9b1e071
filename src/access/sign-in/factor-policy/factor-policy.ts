/** Reports how a second-factor policy affects existing users, before it is set and while it is in force. */

import { permissionsOfUser, type Rules } from '../../../core/rules.ts'
import { requiresSecondFactor, type SecondFactorPolicy } from '../../../core/second-factor.ts'
import { hasExpired } from '../../../directory/users/service.ts'
import { checkIdCursor, pageOf } from '../../../http/request/cursor.ts'
import { counted } from '../../../lib/amounts.ts'
import { groupNameKey } from '../../../lib/group-name.ts'
import { PrecisError } from '../../../lib/precis.ts'
import type { Db } from '../../../store/db/db.ts'
import type { QueryHandlers } from '../../../store/storage/registry.ts'
import type { ListWithoutFactor, SecondFactorPolicyTest, UserWithoutFactor } from './schema.ts'
import * as store from './store.ts'

/** A page reads at most this many users, so that its time does not grow with the store. It is then short, but has a next page. */
const usersPerPage = 10_000
const defaultLimit = 100
const firstId = '00000000-0000-0000-0000-000000000000'
const groupPrefix = 'group:'

/** `now` in epoch milliseconds: users without access at that time do not count. */
export type Asked = { policy: SecondFactorPolicy; roles: Rules['roles']; now: number }
export type Counts = Pick<
  SecondFactorPolicyTest,
  'users' | 'with_factor' | 'required' | 'asked' | 'asked_administrators' | 'cannot_sign_in' | 'unknown'
>

async function count(db: Db, { policy, roles, now }: Asked): Promise<Counts> {
  const groups = await findGroups(db, policy)
  const counts: Counts = {
    users: 0,
    with_factor: 0,
    required: 0,
    asked: 0,
    asked_administrators: 0,
    cannot_sign_in: 0,
    unknown: unknownIn(policy, roles, groups.known),
  }
  for (const standing of await store.countStandings(db, { groupIds: groups.required, now })) {
    const n = standing.count
    counts.users += n
    if (standing.has_factor === 1) counts.with_factor += n
    if (!isRequired(policy, standing)) continue
    counts.required += n
    if (standing.has_factor === 1) continue
    counts.asked += n
    if (isAdministrator(roles, standing)) counts.asked_administrators += n
    if (standing.has_password === 0) counts.cannot_sign_in += n
  }
  return counts
}

/** The names in a policy that match no role or group, by mistake or because the group does not exist yet. */
export async function findUnknown(db: Db, { policy, roles }: Omit<Asked, 'now'>): Promise<string[]> {
  return unknownIn(policy, roles, (await findGroups(db, policy)).known)
}

/** @throws AppError `bad_cursor` */
async function listWithoutFactor(
  db: Db,
  { policy, roles, now, limit = defaultLimit, cursor = firstId }: Asked & ListWithoutFactor,
): Promise<{ users: UserWithoutFactor[]; next: string | undefined }> {
  checkIdCursor(cursor)
  const { required } = await findGroups(db, policy)
  const read = await store.listStandings(db, { after: cursor, limit: usersPerPage, groupIds: required })
  const missing = read.filter(
    (row) => row.active === 1 && !hasExpired(row, now) && row.has_factor === 0 && isRequired(policy, row),
  )
  const { page, last = read.length === usersPerPage ? read.at(-1) : undefined } = pageOf(missing, limit)
  return { users: page.map((row) => toUser(roles, row)), next: last?.user_id }
}

function toUser(roles: Rules['roles'], row: store.StandingOfUser): UserWithoutFactor {
  const { user_id, username, role, last_login_at } = row
  return {
    user_id,
    username,
    role,
    administrator: isAdministrator(roles, row),
    has_password: row.has_password === 1,
    last_login_at,
  }
}

type Standing = Pick<store.StandingCount, 'role' | 'group_roles' | 'in_group'>

/** The groups were looked up before, for all users together. */
function isRequired(policy: SecondFactorPolicy, { role, group_roles, in_group }: Standing): boolean {
  return in_group === 1 || requiresSecondFactor(policy, { role, group_roles, groups: [] })
}

function isAdministrator(roles: Rules['roles'], { role, group_roles }: Standing): boolean {
  return permissionsOfUser(roles, { role, group_roles }).includes('*')
}

function groupsIn(policy: SecondFactorPolicy): string[] {
  return Object.keys(policy).flatMap((name) => (name.startsWith(groupPrefix) ? [name.slice(groupPrefix.length)] : []))
}

/** A text that cannot be the name of a group names none. */
function keyOf(name: string): string[] {
  try {
    return [groupNameKey(name)]
  } catch (error) {
    if (error instanceof PrecisError) return []
    throw error
  }
}

async function findGroups(db: Db, policy: SecondFactorPolicy): Promise<{ known: Set<string>; required: string[] }> {
  const names = groupsIn(policy)
  if (names.length === 0) return { known: new Set(), required: [] }
  const wanted = new Set(names.map((name) => name.toLowerCase()))
  const found = (await store.findGroups(db, names.flatMap(keyOf))).filter(({ name }) => wanted.has(name.toLowerCase()))
  const needed = new Set(
    names.flatMap((name) => (policy[`${groupPrefix}${name}`] === 'required' ? [name.toLowerCase()] : [])),
  )
  return {
    known: new Set(found.map(({ name }) => name.toLowerCase())),
    required: found.flatMap(({ group_id, name }) => (needed.has(name.toLowerCase()) ? [group_id] : [])),
  }
}

function unknownIn(policy: SecondFactorPolicy, roles: Rules['roles'], groups: ReadonlySet<string>): string[] {
  return Object.keys(policy).filter((name) =>
    name.startsWith(groupPrefix)
      ? !groups.has(name.slice(groupPrefix.length).toLowerCase())
      : name !== '*' && !Object.hasOwn(roles, name),
  )
}

export function sentenceOf(counts: Counts, { from, now }: { from: number; now: number }): string {
  const { users, with_factor, asked_administrators, cannot_sign_in } = counts
  const missing = users - with_factor
  const when = from > now ? `from ${new Date(from).toISOString().slice(0, 10)} on` : 'now'
  return [
    `${counted(missing, 'user')} ${missing === 1 ? 'has' : 'have'} no factor`,
    `${counted(asked_administrators, 'administrator')} would be asked ${when}`,
    `${counted(cannot_sign_in, 'user')} could not sign in.`,
  ].join(', ')
}

export const queries = {
  'second_factor_policy.count': { run: count, isQuick: () => false, isBounded: false },
  'second_factor_policy.users': { run: listWithoutFactor, isQuick: () => false, isBounded: true },
} satisfies QueryHandlers
