import { createHash } from 'node:crypto'

/** The stored form of a message that counts once. */
export function usedHash(id: string): string {
  return createHash('sha256').update(id).digest('base64url')
}
