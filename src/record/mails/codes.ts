/**
 * The six digits with which a user signs in, and which a message brings. They are stored nowhere: each is derived from the challenge
 * that it meets, when the message is sent and when it is entered.
 */
import { createHmac } from 'node:crypto'

/** @param secret the service's own: without it, the id of a challenge, which its browser knows, says nothing about its code */
export function codeOf(secret: Uint8Array, challengeId: string): string {
  const bytes = createHmac('sha256', secret).update(`rollbook email code 1\n${challengeId}`).digest()
  return String(bytes.readUIntBE(0, 6) % 1_000_000).padStart(6, '0')
}
