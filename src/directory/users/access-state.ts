/** Whether a user may use their access now: the one place that decides it, from the row and the time alone. */
import type { UserRow } from './store.ts'

/** `expired`: the end date has passed, while `active` is still true. */
export type AccessState = 'active' | 'disabled' | 'expired'

type Ending = Pick<UserRow, 'access_ends_at'>

/** @param now epoch milliseconds */
export function accessState(user: Pick<UserRow, 'active'> & Ending, now: number): AccessState {
  if (user.active !== 1) return 'disabled'
  return hasExpired(user, now) ? 'expired' : 'active'
}

export function hasAccess(user: Pick<UserRow, 'active'> & Ending, now: number): boolean {
  return accessState(user, now) === 'active'
}

/** From the end date itself on, whether the user is disabled or not. */
export function hasExpired(user: Ending, now: number): boolean {
  return accessEndMs(user) <= now
}

/** When the access ends, in epoch milliseconds: what is cached or issued until then must not last longer. */
export function accessEndMs({ access_ends_at }: Ending): number {
  return access_ends_at === null ? Number.POSITIVE_INFINITY : Date.parse(access_ends_at)
}
