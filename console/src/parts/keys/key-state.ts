/** Notes on a key: expired or expiring soon, unused, or with full access. */
import type { ApiKey } from 'rollbook/client'
import { includesWord } from '../../lib/permission-groups.ts'

type Remark = 'ended' | 'ends_soon' | 'never_used' | 'long_unused' | 'full_access'

const dayMs = 86_400_000
const soonMs = 14 * dayMs
/** Within this time after its creation, a key is not reported as unused. */
const settlingMs = 7 * dayMs
const longUnusedMs = 90 * dayMs

export function remarksOn(
  key: Pick<ApiKey, 'created_at' | 'expires_at' | 'last_used_at' | 'permissions'>,
  now: number,
): Remark[] {
  const remarks: Remark[] = []
  const leftMs = key.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(key.expires_at) - now
  if (leftMs <= 0) return ['ended']
  if (leftMs <= soonMs) remarks.push('ends_soon')
  if (key.permissions.includes('*')) remarks.push('full_access')
  if (key.last_used_at === null) {
    if (now - Date.parse(key.created_at) > settlingMs) remarks.push('never_used')
  } else if (now - Date.parse(key.last_used_at) > longUnusedMs) remarks.push('long_unused')
  return remarks
}

export type Lifetime = '30' | '90' | '365' | 'date' | 'never'

/** Returns when a new key will expire: for a date, at the end of that day in local time. Undefined without a date. */
export function expiryOf(lifetime: Lifetime, date: string, now: number): string | null | undefined {
  if (lifetime === 'never') return null
  if (lifetime !== 'date') return new Date(Math.ceil(now / dayMs) * dayMs + Number(lifetime) * dayMs).toISOString()
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date) ?? []
  if (day === undefined) return undefined
  return new Date(Number(year), Number(month) - 1, Number(day) + 1).toISOString()
}

/** Whether a user with these permissions may create or rotate a key with those. */
export function holdsAll(mine: readonly string[], theirs: readonly string[]): boolean {
  return theirs.every((permission) => includesWord(mine, permission))
}
