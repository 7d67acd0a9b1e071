/** Creates, seals and opens the secrets that sign webhooks. */
import { randomBytes } from 'node:crypto'
import { AppError } from '../../core/errors.ts'
import { openSealed } from '../../store/secrets/encryption.ts'
import { labels, plainWebhookSecret, sealedForm } from '../../store/secrets/sealed-values.ts'
import type { EndpointRow } from './store.ts'

/** A secret created before the change: the form that is shown once, and the form that is stored. */
export type MadeSecret = { secret: string; stored: string; sealed: number }

// Standard Webhooks requires 24 to 64 bytes; HMAC-SHA256 gains nothing beyond 32.
const secretBytes = 32

/** The endpoint is the label: a sealed secret that is copied to another endpoint does not open. */
export function makeSecret(endpointId: string, encryptionSecret: string | undefined): MadeSecret {
  const secret = `whsec_${randomBytes(secretBytes).toString('base64')}`
  const { text, sealed } = sealedForm(encryptionSecret, secret, labels.webhook(endpointId))
  return { secret, stored: text, sealed }
}

type StoredSecrets = Pick<EndpointRow, 'endpoint_id' | 'secret' | 'previous_secret' | 'previous_expires_at'>

/**
 * Returns the secrets that sign now, newest first: two after a rotation, until the overlap ends.
 *
 * @throws AppError `secret_unreadable`
 */
export function signingSecrets(row: StoredSecrets, encryptionSecrets: readonly string[], now: number): string[] {
  const { endpoint_id, secret, previous_secret, previous_expires_at } = row
  const isOverlapping = previous_expires_at !== null && now < Date.parse(previous_expires_at)
  const stored = previous_secret !== null && isOverlapping ? [secret, previous_secret] : [secret]
  return stored.map((one) => openSecret(one, endpoint_id, encryptionSecrets))
}

export function isReadable({ endpoint_id, secret }: StoredSecrets, encryptionSecrets: readonly string[]): boolean {
  try {
    return openSecret(secret, endpoint_id, encryptionSecrets) !== ''
  } catch (error) {
    if (error instanceof AppError && error.code === 'secret_unreadable') return false
    throw error
  }
}

function openSecret(stored: string, endpointId: string, encryptionSecrets: readonly string[]): string {
  // A sealed secret is base64url without padding, so it cannot be mistaken for a plain one.
  return plainWebhookSecret.test(stored) ? stored : openSealed(encryptionSecrets, stored, labels.webhook(endpointId))
}
