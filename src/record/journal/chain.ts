/** The hash chain of the audit records (docs/audit.md says how to check it with other tools). */
import { hash, randomFillSync } from 'node:crypto'
import type { RecordRow } from './rows.ts'

/**
 * Returns the hash of a record: SHA-256, in hex, of the previous record's hash and this record's members as a JSON array.
 * Personal data enters only as a digest, so it can be erased without breaking the chain.
 */
export function chainHash(previous: string, row: Omit<RecordRow, 'who' | 'what' | 'hash'>): string {
  const { seq, record_id, occurred_at, action, outcome, code, actor_kind, actor_id } = row
  const { key_id, session_id, target_kind, target_id, request_id, who_digest, what_digest } = row
  const event = [seq, record_id, occurred_at, action, outcome, code, actor_kind, actor_id]
  const rest = [key_id, session_id, target_kind, target_id, request_id, who_digest, what_digest]
  return hash('sha256', JSON.stringify([previous, ...event, ...rest]), 'hex')
}

/** Returns '' for null, otherwise SHA-256 in hex. The text starts with a salt, so an erased text cannot be guessed. */
export function digestOf(text: string | null): string {
  return text === null ? '' : hash('sha256', text, 'hex')
}

/** Returns the members as JSON after a salt, or null without members. */
export function salted(members: Record<string, unknown>): string | null {
  if (Object.values(members).every((value) => value === undefined)) return null
  return JSON.stringify({ salt: newSalt(), ...members })
}

const saltBytes = 16
const drawn = Buffer.alloc(256 * saltBytes)
let used = drawn.length

/** 128 random bits, drawn in batches: a draw each took longer than everything else here. */
function newSalt(): string {
  if (used === drawn.length) {
    randomFillSync(drawn)
    used = 0
  }
  used += saltBytes
  return drawn.toString('base64url', used - saltBytes, used)
}
