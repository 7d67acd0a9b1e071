/** Seals and opens the secrets of one-time codes. The factor is the label: a sealed secret copied to another one does not open. */
import { openSealed } from '../../../store/secrets/encryption.ts'
import { labels, sealedForm } from '../../../store/secrets/sealed-values.ts'
import type { FactorRow } from './store.ts'

/** The form that is stored. */
export function storedSecret(
  secret: string,
  factorId: string,
  encryptionSecret: string | undefined,
): Pick<FactorRow, 'secret' | 'sealed'> {
  const { text, sealed } = sealedForm(encryptionSecret, secret, labels.factor(factorId))
  return { secret: text, sealed }
}

/** @throws AppError `secret_unreadable` */
export function openSecret(
  { factor_id, secret, sealed }: Pick<FactorRow, 'factor_id' | 'secret' | 'sealed'>,
  encryptionSecrets: readonly string[],
): string {
  return Number(sealed) === 0 ? secret : openSealed(encryptionSecrets, secret, labels.factor(factor_id))
}
