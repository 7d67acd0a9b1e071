/** Whom a rule concerns: read in one pass, for the run and for its preview. */
import { type Course, courseOf, fewestDays, type InactivityPolicy, limitOf } from '../../core/inactivity.ts'
import { permissionsOfUser, type Rules } from '../../core/rules.ts'
import { administeringRoles, findWithRole, hasExpired, lasts } from '../../directory/users/service.ts'
import { timestamp } from '../../lib/instant.ts'
import type { Db } from '../../store/db/db.ts'
import type { QueryHandlers } from '../../store/storage/registry.ts'
import { countActive, type IdleUser, listIdle } from './store.ts'

const [hourMs, dayMs] = [3_600_000, 86_400_000]
/** Every node stores uses of keys and sessions once a minute: a user who is due has not been seen for longer. */
const unstoredMs = 120_000

/**
 * Returns the user's course under a policy; undefined if no limit is theirs, or they have no access that could end. A membership that ends
 * before the user would be disabled by it does not count.
 */
export function courseOfUser(policy: InactivityPolicy, user: IdleUser, now: number): Course | undefined {
  if (user.active !== 1 || hasExpired(user, now)) return undefined
  let lasting = user.memberships.filter(({ endsAtMs }) => endsAtMs > now)
  for (;;) {
    const limit = limitOf(policy.rule, { ...user, groups: lasting.map(({ name }) => name) })
    const course = limit && courseOf(policy, limit, user, now)
    const ending = lasting.filter(({ endsAtMs }) => endsAtMs <= (course?.disableMs ?? 0))
    if (ending.length === 0) return course
    lasting = lasting.filter((one) => !ending.includes(one))
  }
}

export function isDue({ isNoticed, disableMs }: Course, now: number): boolean {
  return isNoticed && disableMs <= now - unstoredMs
}

type Criteria = { policy: InactivityPolicy; roles: Rules['roles']; now: number }
type Concerned = { user: IdleUser; course: Course }

async function* concerned(db: Db, { policy, now }: Criteria, beforeMs: number): AsyncGenerator<Concerned> {
  for await (const users of listIdle(db, timestamp(beforeMs))) {
    for (const user of users) {
      const course = courseOfUser(policy, user, now)
      if (course !== undefined) yield { user, course }
    }
  }
}

type Place = { user_id: string; disableMs: number; isAdmin: boolean }

function placeOf({ user, course }: Concerned, roles: Rules['roles']): Place {
  // `active` says already whether the organization is disabled.
  const isAdmin = lasts(user) && permissionsOfUser(roles, user).includes('*')
  return { user_id: user.user_id, disableMs: course.disableMs, isAdmin }
}

/** In the order in which a run disables. */
const byEnd = (a: Place, b: Place) => a.disableMs - b.disableMs || (a.user_id < b.user_id ? -1 : 1)

/** Returns the id of the administrator who would be the last one: the last of these, if there is no other. */
async function findSpared(db: Db, roles: Rules['roles'], inOrder: readonly Place[]): Promise<string | undefined> {
  const admins = inOrder.filter(({ isAdmin }) => isAdmin).map(({ user_id }) => user_id)
  if (admins.length === 0) return undefined
  const known = await findWithRole(db)(administeringRoles({ rules: { roles } }), admins.length + 1)
  return known.some((id) => !admins.includes(id)) ? undefined : admins.at(-1)
}

export type Due = {
  /** Who is noticed now. */
  notices: string[]
  /** Who is disabled now, in order. */
  due: { user_id: string; disableMs: number }[]
}

/** Returns what a run would do now. */
async function findDue(db: Db, criteria: Criteria): Promise<Due> {
  const { policy, roles, now } = criteria
  const [noticed, unnoticed]: [Place[], Place[]] = [[], []]
  for await (const one of concerned(db, criteria, now - fewestDays(policy.rule, 'notice') * dayMs)) {
    if (isDue(one.course, now)) noticed.push(placeOf(one, roles))
    else if (!one.course.isNoticed && one.course.noticeMs <= now) unnoticed.push(placeOf(one, roles))
  }
  const inOrder = [...noticed.toSorted(byEnd), ...unnoticed.toSorted(byEnd)]
  const spared = await findSpared(db, roles, inOrder)
  const due = noticed.filter(({ user_id }) => user_id !== spared).toSorted(byEnd)
  return {
    notices: unnoticed.flatMap(({ user_id }) => (user_id === spared ? [] : [user_id])).toSorted(),
    due: due.map(({ user_id, disableMs }) => ({ user_id, disableMs })),
  }
}

export type Foreseen = {
  users: Concerned[]
  total: number
  spared: { user_id: string; username: string } | null
  active_users: number
  /** The most users whom one run would disable. */
  largestRun: number
}

/** Returns who is disabled until then if they do not return, the first `limit` of them. */
async function foresee(
  db: Db,
  { untilMs, limit, ...criteria }: Criteria & { untilMs: number; limit: number },
): Promise<Foreseen> {
  const { policy, roles } = criteria
  const found: (Concerned & Place)[] = []
  for await (const one of concerned(db, criteria, untilMs - fewestDays(policy.rule, 'end') * dayMs)) {
    if (one.course.disableMs <= untilMs) found.push({ ...one, ...placeOf(one, roles) })
  }
  found.sort(byEnd)
  const sparedId = await findSpared(db, roles, found)
  const spared = found.find(({ user_id }) => user_id === sparedId)?.user
  const disabled = found.filter(({ user_id }) => user_id !== sparedId)
  return {
    users: disabled.slice(0, limit).map(({ user, course }) => ({ user, course })),
    total: disabled.length,
    spared: spared === undefined ? null : { user_id: spared.user_id, username: spared.username },
    active_users: await countActive(db, criteria.now),
    largestRun: largestWithin(
      disabled.map(({ disableMs }) => disableMs),
      hourMs,
    ),
  }
}

/** The most of these sorted instants that are within so many milliseconds. */
function largestWithin(sorted: readonly number[], ms: number): number {
  let [from, largest] = [0, 0]
  for (const [to, at] of sorted.entries()) {
    while (at - (sorted[from] as number) >= ms) from++
    largest = Math.max(largest, to - from + 1)
  }
  return largest
}

export const queries = {
  'inactivity.due': { run: findDue, isQuick: () => false, isBounded: false },
  'inactivity.foresee': { run: foresee, isQuick: () => false, isBounded: false },
} satisfies QueryHandlers
