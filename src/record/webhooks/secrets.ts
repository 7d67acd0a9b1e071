/** Creates, seals and opens the secrets that sign webhooks. */
import { randomBytes } from 'node:crypto'
import { seal, unseal } from '../../lib/sealing.ts'
import { system } from '../../store/context.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { type EndpointRow, listEndpoints } from './store.ts'

/** A secret created before the change: the form that is shown once, and the form that is stored. */
export type MadeSecret = { secret: string; stored: string; sealed: number }

// Standard Webhooks requires 24 to 64 bytes; HMAC-SHA256 gains nothing beyond 32.
const secretBytes = 32
/** A sealed secret is base64url without padding, so it cannot be mistaken for a plain one. */
const plainForm = /^whsec_[A-Za-z0-9+/]{43}=$/

export function makeSecret(endpointId: string, encryptionSecret: string | undefined): MadeSecret {
  const secret = `whsec_${randomBytes(secretBytes).toString('base64')}`
  if (encryptionSecret === undefined) return { secret, stored: secret, sealed: 0 }
  return { secret, stored: sealSecret(encryptionSecret, endpointId, secret), sealed: 1 }
}

/** The endpoint is the label: a sealed secret that is copied to another endpoint does not open. Sealed secrets stay as they are. */
export function sealSecret(encryptionSecret: string, endpointId: string, stored: string): string {
  return plainForm.test(stored) ? seal(encryptionSecret, stored, labelOf(endpointId)) : stored
}

type StoredSecrets = Pick<EndpointRow, 'endpoint_id' | 'secret' | 'previous_secret' | 'previous_expires_at'>

/**
 * Returns the secrets that sign now, newest first: two after a rotation, until the overlap ends.
 *
 * @throws Error if a secret was sealed with another encryption secret
 */
export function signingSecrets(row: StoredSecrets, encryptionSecret: string | undefined, now: number): string[] {
  const { endpoint_id, secret, previous_secret, previous_expires_at } = row
  const isOverlapping = previous_expires_at !== null && now < Date.parse(previous_expires_at)
  const stored = previous_secret !== null && isOverlapping ? [secret, previous_secret] : [secret]
  return stored.map((one) => openSecret(one, endpoint_id, encryptionSecret))
}

/** At the start: seals what was stored before an encryption secret was configured. */
export async function sealPlainSecrets(
  storage: Storage,
  encryptionSecret: string | undefined,
  now: number,
): Promise<void> {
  if (encryptionSecret === undefined) return
  const plain = (await listEndpoints(storage.db)).filter(({ sealed }) => sealed === 0)
  if (plain.length === 0) return
  const rows = plain.map((row) => {
    const { endpoint_id, secret, previous_secret } = row
    const sealOne = (stored: string) => sealSecret(encryptionSecret, endpoint_id, stored)
    const sealed = { secret: sealOne(secret), previous_secret: previous_secret && sealOne(previous_secret) }
    return { before: { endpoint_id, secret }, sealed }
  })
  await storage.change('webhooks.seal', rows, { actor: system, now, requestId: 'start' })
}

function openSecret(stored: string, endpointId: string, encryptionSecret: string | undefined): string {
  if (plainForm.test(stored)) return stored
  if (encryptionSecret === undefined)
    throw new Error('The secret of the webhook is encrypted, but no encryption secret is configured.')
  return unseal(encryptionSecret, stored, labelOf(endpointId))
}

function labelOf(endpointId: string): string {
  return `webhook ${endpointId}`
}
