/** Whether a user may use their access now: the one place that decides it, from the row, the rules and the time alone. */
import { isOrganizationActive, type Rules } from '../../core/rules.ts'
import type { UserRow } from './store.ts'

/** `expired`: the end date has passed, while `active` is still true. `organization_disabled`: so is the user's organization. */
export type AccessState = 'active' | 'disabled' | 'organization_disabled' | 'expired'

type Ending = Pick<UserRow, 'access_ends_at'>
type Standing = Pick<UserRow, 'active' | 'organization_id'> & Ending

/** `now` in epoch milliseconds. */
export type At = { now: number; rules: Pick<Rules, 'disabledOrganizations'> }

export function accessState(user: Standing, { now, rules }: At): AccessState {
  if (user.active !== 1) return 'disabled'
  if (!isOrganizationActive(rules, user)) return 'organization_disabled'
  return hasExpired(user, now) ? 'expired' : 'active'
}

export function hasAccess(user: Standing, at: At): boolean {
  return accessState(user, at) === 'active'
}

/** From the end date itself on, whether the user is disabled or not. */
export function hasExpired(user: Ending, now: number): boolean {
  return accessEndMs(user) <= now
}

/** When the access ends, in epoch milliseconds: what is cached or issued until then must not last longer. */
export function accessEndMs({ access_ends_at }: Ending): number {
  return access_ends_at === null ? Number.POSITIVE_INFINITY : Date.parse(access_ends_at)
}
