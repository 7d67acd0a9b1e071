/**
 * The secrets that encrypt others: opens with each of them, and seals with the one that the store is encrypted with now. While
 * nodes with the old and the new secret run side by side, both can so be read by all of them.
 */
import type { Config } from '../../core/config.ts'
import { AppError } from '../../core/errors.ts'
import type { Db } from '../db/db.ts'
import { labels, tryUnseal } from './sealed-values.ts'
import { listSecrets } from './store.ts'

export type EncryptionConfig = Pick<Config, 'keyEncryptionSecret' | 'keyEncryptionSecretPrevious'>

/** The configured secrets, the current one first. */
export function encryptionSecrets(config: EncryptionConfig): string[] {
  return [config.keyEncryptionSecret, config.keyEncryptionSecretPrevious].filter((one) => one !== undefined)
}

/** The secret to seal with: the previous one until `rollbook secrets rotate`, because nodes may run that have no other. */
export async function sealingSecret(db: Db, config: EncryptionConfig): Promise<string | undefined> {
  const { keyEncryptionSecret: current, keyEncryptionSecretPrevious: previous } = config
  if (current === undefined || previous === undefined) return current
  const sealed = (await listSecrets(db)).find((row) => Number(row.sealed) === 1)
  if (sealed === undefined) return current
  const label = labels.ownSecret(sealed.name)
  return tryUnseal([previous], sealed.value, label) === undefined ? current : previous
}

/** @throws AppError `secret_unreadable` */
export function openSealed(secrets: readonly string[], text: string, label: string): string {
  const opened = tryUnseal(secrets, text, label)
  if (opened !== undefined) return opened
  throw new AppError(
    'secret_unreadable',
    'A secret that this request needs was encrypted with another secret than the configured one. Tell the operator; rollbook doctor says which secrets are concerned.',
    { cause: new Error(`The stored secret "${label}" cannot be decrypted.`) },
  )
}
