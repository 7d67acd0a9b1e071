/** Seals and opens the secrets of one-time codes, as the secrets of webhooks are sealed. */
import { seal, unseal } from '../../lib/sealing.ts'
import { system } from '../../store/context.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { type FactorRow, listPlainSecrets } from './store.ts'

/** The form that is stored. The factor is the label: a sealed secret that is copied to another factor does not open. */
export function storedSecret(
  secret: string,
  factorId: string,
  encryptionSecret: string | undefined,
): Pick<FactorRow, 'secret' | 'sealed'> {
  if (encryptionSecret === undefined) return { secret, sealed: 0 }
  return { secret: seal(encryptionSecret, secret, labelOf(factorId)), sealed: 1 }
}

/** @throws Error if it was sealed with another encryption secret, or none is configured */
export function openSecret(
  { factor_id, secret, sealed }: Pick<FactorRow, 'factor_id' | 'secret' | 'sealed'>,
  encryptionSecret: string | undefined,
): string {
  if (Number(sealed) === 0) return secret
  if (encryptionSecret === undefined) {
    throw new Error('The secret of a factor is encrypted, but no encryption secret is configured.')
  }
  return unseal(encryptionSecret, secret, labelOf(factor_id))
}

const atOnce = 500

/** At the start: seals what was stored before an encryption secret was configured. */
export async function sealPlainFactors(
  storage: Storage,
  encryptionSecret: string | undefined,
  now: number,
): Promise<void> {
  if (encryptionSecret === undefined) return
  for (;;) {
    const plain = await listPlainSecrets(storage.db, atOnce)
    if (plain.length === 0) return
    const rows = plain.map(({ factor_id, secret }) => ({
      factor_id,
      before: secret,
      after: storedSecret(secret, factor_id, encryptionSecret).secret,
    }))
    await storage.change('factors.seal', rows, { actor: system, now, requestId: 'start' })
  }
}

function labelOf(factorId: string): string {
  return `factor ${factorId}`
}
