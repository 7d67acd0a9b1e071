import { createHash } from 'node:crypto'

/** What is kept of something that counts once. */
export function usedHash(id: string): string {
  return createHash('sha256').update(id).digest('base64url')
}
