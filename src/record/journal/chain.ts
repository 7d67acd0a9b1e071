/** The hash chain of the audit records (docs/audit.md says how to check it with other tools). */
import { hash, randomFillSync } from 'node:crypto'
import type { RecordRow } from './store.ts'

/**
 * The hash of a record: SHA-256, in hex, of the previous record's hash and of this one's members as a JSON array. Of what
 * is about a person only the digest counts, so that it can be erased and the chain still holds.
 */
export function chainHash(previous: string, row: Omit<RecordRow, 'who' | 'what' | 'hash'>): string {
  const { seq, record_id, occurred_at, action, outcome, code, actor_kind, actor_id } = row
  const { key_id, session_id, target_kind, target_id, request_id, who_digest, what_digest } = row
  const told = [seq, record_id, occurred_at, action, outcome, code, actor_kind, actor_id]
  const rest = [key_id, session_id, target_kind, target_id, request_id, who_digest, what_digest]
  return hash('sha256', JSON.stringify([previous, ...told, ...rest]), 'hex')
}

/** '' of nothing; else SHA-256 in hex. The text begins with a salt, so that nobody can guess what was erased. */
export function digestOf(text: string | null): string {
  return text === null ? '' : hash('sha256', text, 'hex')
}

/** The members as JSON behind a salt; null when there are none. */
export function salted(members: Record<string, unknown>): string | null {
  if (Object.values(members).every((value) => value === undefined)) return null
  return JSON.stringify({ salt: newSalt(), ...members })
}

const saltBytes = 16
const drawn = Buffer.alloc(256 * saltBytes)
let used = drawn.length

/** 128 random bits. Drawn many at a time: each drawing by itself took longer than everything else here. */
function newSalt(): string {
  if (used === drawn.length) {
    randomFillSync(drawn)
    used = 0
  }
  used += saltBytes
  return drawn.toString('base64url', used - saltBytes, used)
}
