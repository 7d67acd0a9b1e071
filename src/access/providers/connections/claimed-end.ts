/** Reads the end date of a user from a claim. What is no date says nothing: it never means that access does not end. */
import { activeDirectoryEndMs, generalizedTimeMs } from '../../../lib/directory-account.ts'
import { endOfDay } from '../../../lib/end-of-day.ts'
import { isInstant, latestInstant, timestamp } from '../../../lib/instant.ts'

/** `isDirectory`: texts may have the forms of LDAP and Active Directory. Null: never. Undefined: no date. */
export function endIn(value: unknown, { isDirectory }: { isDirectory: boolean }): string | null | undefined {
  const ms = endMsIn(value, isDirectory)
  if (ms === Number.POSITIVE_INFINITY) return null
  return ms !== undefined && ms >= 0 && ms <= latestInstant ? timestamp(Math.floor(ms)) : undefined
}

function endMsIn(value: unknown, isDirectory: boolean): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value * 1000 : undefined
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  const instant = endOfDay(text) ?? (isInstant(text) ? text : undefined)
  if (instant !== undefined) return Date.parse(instant)
  return isDirectory ? (activeDirectoryEndMs(text) ?? generalizedTimeMs(text)) : undefined
}
