/**
 * The service's own secrets, created at the first start and shared by all nodes. Encrypted if an encryption secret is
 * configured. The keys that sign access tokens are in tokens/, the list of everything encrypted in sealed-values.ts.
 */
import { randomBytes } from 'node:crypto'
import { system } from '../../core/actor.ts'
import { timestamp } from '../../lib/instant.ts'
import type { ChangeContext } from '../context.ts'
import type { Storage } from '../storage/storage.ts'
import { type EncryptionConfig, encryptionSecrets, openSealed, sealingSecret } from './encryption.ts'
import { labels, sealedForm } from './sealed-values.ts'
import * as store from './store.ts'

/** `device`: marks browsers in which a user has signed in; `idempotency`: hides responses stored for access tokens. */
const names = ['device', 'idempotency'] as const

export type Secrets = Readonly<Record<(typeof names)[number], Uint8Array>>

const secretBytes = 32

/** Creates those that are missing. @throws AppError `secret_unreadable` */
export async function loadSecrets(storage: Storage, config: EncryptionConfig, now: number): Promise<Secrets> {
  const found = await store.listSecrets(storage.db)
  const missing = names.filter((name) => !found.some((row) => row.name === name))
  if (missing.length > 0) {
    const encryptionSecret = await sealingSecret(storage.db, config)
    const rows = missing.map((name) => newRow(name, encryptionSecret, now))
    await storage.change('secrets.keep', rows, { actor: system, now, requestId: 'start' })
  }
  const stored = missing.length === 0 ? found : await store.listSecrets(storage.db)
  const values = stored.map((row) => [row.name, Buffer.from(open(row, encryptionSecrets(config)), 'base64url')])
  return Object.fromEntries(values) as Secrets
}

/** Does nothing if another node was faster. */
export async function insertMissing(ctx: ChangeContext, rows: readonly store.SecretRow[]): Promise<void> {
  for (const row of rows) await store.insertSecret(ctx.db, row)
}

function newRow(name: string, encryptionSecret: string | undefined, now: number): store.SecretRow {
  const plain = randomBytes(secretBytes).toString('base64url')
  const { text, sealed } = sealedForm(encryptionSecret, plain, labels.ownSecret(name))
  return { name, value: text, sealed, created_at: timestamp(now) }
}

function open({ name, value, sealed }: store.SecretRow, secrets: readonly string[]): string {
  return Number(sealed) === 0 ? value : openSealed(secrets, value, labels.ownSecret(name))
}
