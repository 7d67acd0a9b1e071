/** The name of an exported file: `orchard-users-disabled-2026-11-29`. */
import { exportName } from '../../../../src/lib/export-name.ts'
import { type Filters, namesOfFilters } from '../../data/search/users.ts'

const flags: Readonly<Record<string, readonly [isSet: string, isNot: string]>> = {
  active: ['active', 'disabled'],
  locked: ['locked', 'not-locked'],
  invited: ['invited', 'not-invited'],
  has_password: ['with-password', 'without-password'],
  has_signed_in: ['signed-in', 'never-signed-in'],
}
/** What these filters name is an ID, or a time. */
const words: Readonly<Record<string, string>> = {
  group: 'group',
  managed_by: 'managed',
  created_after: 'created',
  created_before: 'created',
  last_login_after: 'last-sign-in',
  last_login_before: 'last-sign-in',
  expires_after: 'end-date',
  expires_before: 'end-date',
}

/** @param now shown as the day of the reader's clocks */
export function usersFileName(productName: string, filters: Filters, now: Date): string {
  const parts = namesOfFilters(filters).map((name) => {
    const value = filters[name]
    const flag = flags[name]
    return flag === undefined ? (words[name] ?? String(value)) : flag[value === true ? 0 : 1]
  })
  const day = new Date(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()))
  return exportName({ productName, what: 'users', filters: [...new Set(parts)], day })
}
