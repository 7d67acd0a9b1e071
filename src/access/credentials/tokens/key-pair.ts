/** Creates, seals and opens the key pairs that sign access tokens. */
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { Config } from '../../../core/config.ts'
import { openSealed } from '../../../store/secrets/encryption.ts'
import { labels, sealedForm } from '../../../store/secrets/sealed-values.ts'
import type { MadeKey } from './signing-keys.ts'
import type { SigningKeyRow } from './store.ts'

export type Algorithm = Config['tokenAlgorithm']

const curves = { EdDSA: 'Ed25519', ES256: 'P-256' } as const

/** RFC 8037 and RFC 7518 §3.4. */
export async function makeKeyPair(algorithm: Algorithm, secret: string | undefined): Promise<MadeKey> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { crv: curves[algorithm], extractable: true })
  const [open, closed] = [await exportJWK(publicKey), await exportJWK(privateKey)]
  const kid = await calculateJwkThumbprint(open)
  const { text, sealed } = sealedForm(secret, JSON.stringify(closed), labels.signingKey(kid))
  return {
    kid,
    public_key: JSON.stringify({ ...open, kid, alg: algorithm, use: 'sig' }),
    private_key: text,
    sealed,
  }
}

/** The kid is the label: a sealed key that was copied over another one does not open. @throws AppError `secret_unreadable` */
export function openPrivateKey({ kid, private_key, sealed }: SigningKeyRow, secrets: readonly string[]): string {
  return Number(sealed) === 0 ? private_key : openSealed(secrets, private_key, labels.signingKey(kid))
}

/** The algorithm is that of the key, so that no header of a token can choose another (RFC 8725 §3.1). */
export async function importKey(jwk: string, algorithm: Algorithm): Promise<CryptoKey> {
  return (await importJWK(JSON.parse(jwk) as JWK, algorithm)) as CryptoKey
}
