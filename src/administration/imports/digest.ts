import { hash } from 'node:crypto'
import type { SentRow } from './rows.ts'

/**
 * Returns the digest of all rows so far, from that of the previous rows and the next row: SHA-256, in hex. Passwords and
 * factors are left out: the digest is stored, and a password could be guessed from it.
 */
export function digestOfRow(before: string, row: SentRow): string {
  return hash('sha256', `${before}\n${digestText(row)}`, 'hex')
}

function digestText(row: SentRow): string {
  if ('fault' in row) return row.fault.code
  if (typeof row.value !== 'object' || row.value === null) return typeof row.value
  const {
    password: _,
    password_hash: __,
    totp_secret: ___,
    factors: ____,
    recovery_code_hashes: _____,
    ...members
  } = row.value as Record<string, unknown>
  return JSON.stringify(members)
}
