/** Whether a directory has ended an account. A password that has expired or must be changed does not end it. */
import { isInstant } from './instant.ts'

export type Ended = 'disabled' | 'expired'

/** Set by servers that lock accounts with the password policy overlay, until an administrator unlocks the account. */
const lockedForever = '000001010000Z'

const isTrue = (text: string) => text.toLowerCase() === 'true'

/** Active Directory (and AD LDS), 389 Directory Server and FreeIPA, eDirectory, PingDirectory and OpenDJ, OpenLDAP. */
const disabling: Readonly<Record<string, (text: string) => boolean>> = {
  // [MS-ADTS] §2.2.16: ACCOUNTDISABLE.
  userAccountControl: (text) => (Number(text) & 2) !== 0,
  'msDS-UserAccountDisabled': isTrue,
  nsAccountLock: isTrue,
  loginDisabled: isTrue,
  'ds-pwp-account-disabled': isTrue,
  pwdAccountLockedTime: (text) => text === lockedForever,
}

/** When an account ends, in milliseconds since 1970; undefined: never. */
const endings: Readonly<Record<string, (text: string) => number | undefined>> = {
  accountExpires: fileTimeMs,
  krbPrincipalExpiration: generalizedTimeMs,
  shadowExpire: shadowDayMs,
  pwdEndTime: generalizedTimeMs,
  loginExpirationTime: generalizedTimeMs,
  'ds-pwp-account-expiration-time': generalizedTimeMs,
}

export const stateAttributes: readonly string[] = [...Object.keys(disabling), ...Object.keys(endings)]

/**
 * @param textsOf the values of an attribute of the entry
 * @param now milliseconds since 1970
 */
export function endedBy(textsOf: (attribute: string) => readonly string[], now: number): Ended | undefined {
  if (Object.entries(disabling).some(([name, holds]) => textsOf(name).some(holds))) return 'disabled'
  const hasEnded = Object.entries(endings).some(([name, endOf]) =>
    textsOf(name).some((text) => (endOf(text) ?? Number.POSITIVE_INFINITY) <= now),
  )
  return hasEnded ? 'expired' : undefined
}

/** [MS-ADA1] §2.3: intervals of 100 ns since 1601. 0 and 2^63 − 1, which lies beyond the year 30000, mean never. */
function fileTimeMs(text: string): number | undefined {
  const ms = activeDirectoryEndMs(text)
  return ms === Number.POSITIVE_INFINITY ? undefined : ms
}

/** The same; infinity for never, and undefined for what is no such number. */
export function activeDirectoryEndMs(text: string): number | undefined {
  if (!/^\d{1,19}$/.test(text)) return undefined
  if (Number(text) === 0 || text === '9223372036854775807') return Number.POSITIVE_INFINITY
  return Number(text) / 10_000 - 11_644_473_600_000
}

/** shadow(5): days since 1970. As Linux-PAM reads it: only −1 means never. */
function shadowDayMs(text: string): number | undefined {
  return /^\d{1,10}$/.test(text) ? Number(text) * 86_400_000 : undefined
}

const generalizedTime = /^(\d{4})(\d\d)(\d\d)(\d\d)(?:(\d\d)(\d\d)?)?(?:[.,]\d+)?(?:(Z)|([+-]\d\d)(\d\d)?)$/

/** RFC 4517 §3.3.13. A fraction is one of the smallest unit that is there; it is left out, because it is less than that. */
export function generalizedTimeMs(text: string): number | undefined {
  const [found, year, month, day, hour, minute = '00', second = '00', utc, hours, minutes = '00'] =
    generalizedTime.exec(text) ?? []
  if (found === undefined) return undefined
  const instant = `${year}-${month}-${day}T${hour}:${minute}:${second}${utc ?? `${hours}:${minutes}`}`
  return isInstant(instant) ? Date.parse(instant) : undefined
}
