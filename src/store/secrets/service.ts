/**
 * The service's own secrets, created at the first start and shared by all nodes. Encrypted if an encryption secret is
 * configured. The keys that sign access tokens are in tokens/.
 */
import { randomBytes } from 'node:crypto'
import { OperatorError } from '../../core/errors.ts'
import { timestamp } from '../../lib/instant.ts'
import { seal, unseal } from '../../lib/sealing.ts'
import { type ChangeContext, system } from '../context.ts'
import type { Storage } from '../storage/storage.ts'
import * as store from './store.ts'

/** `device`: marks browsers in which a user has signed in; `idempotency`: hides responses stored for access tokens. */
const names = ['device', 'idempotency'] as const

export type Secrets = Readonly<Record<(typeof names)[number], Uint8Array>>

const secretBytes = 32

/** @throws OperatorError if they are encrypted with another secret than the configured one */
export async function loadSecrets(
  storage: Storage,
  encryptionSecret: string | undefined,
  now: number,
): Promise<Secrets> {
  const found = await store.listSecrets(storage.db)
  const isComplete = names.every((name) => found.some((row) => row.name === name))
  const isSealed = found.every(({ sealed }) => sealed === 1) || encryptionSecret === undefined
  if (!isComplete || !isSealed) {
    const rows = names.map((name) => {
      const known = found.find((row) => row.name === name)
      const value = known === undefined ? randomBytes(secretBytes).toString('base64url') : open(known, encryptionSecret)
      return toRow(name, value, encryptionSecret, now)
    })
    await storage.change('secrets.keep', rows, { actor: system, now, requestId: 'start' })
  }
  const kept = isComplete && isSealed ? found : await store.listSecrets(storage.db)
  const values = kept.map((row) => [row.name, Buffer.from(open(row, encryptionSecret), 'base64url')])
  return Object.fromEntries(values) as Secrets
}

/** Stores new secrets, and replaces plain ones with encrypted ones. */
export async function keep(ctx: ChangeContext, rows: readonly store.SecretRow[]): Promise<void> {
  for (const row of rows) {
    await store.insertSecret(ctx.db, row)
    if (row.sealed === 1) await store.replaceSecret(ctx.db, row)
  }
}

function toRow(name: string, plain: string, encryptionSecret: string | undefined, now: number): store.SecretRow {
  const value = encryptionSecret === undefined ? plain : seal(encryptionSecret, plain, `secret ${name}`)
  return { name, value, sealed: Number(encryptionSecret !== undefined), created_at: timestamp(now) }
}

function open({ name, value, sealed }: store.SecretRow, encryptionSecret: string | undefined): string {
  if (sealed === 0) return value
  if (encryptionSecret === undefined) {
    throw new OperatorError(
      'The secrets in the store are encrypted. Set ROLLBOOK_KEY_ENCRYPTION_SECRET to the secret they were encrypted with.',
    )
  }
  try {
    return unseal(encryptionSecret, value, `secret ${name}`)
  } catch (cause) {
    const message =
      'ROLLBOOK_KEY_ENCRYPTION_SECRET is not the secret that the store was encrypted with. Set that secret.'
    throw new OperatorError(message, { cause })
  }
}
