/** Creates, seals and opens the key pairs that sign access tokens. */
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { openSealed } from '../../store/secrets/encryption.ts'
import { labels, sealedForm } from '../../store/secrets/sealed-values.ts'
import type { MadeKey } from './signing-keys.ts'
import type { SigningKeyRow } from './store.ts'

/** RFC 8037's name; fixed, so that no header of a token can choose another. */
export const algorithm = 'EdDSA'

export async function makeKeyPair(secret: string | undefined): Promise<MadeKey> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { crv: 'Ed25519', extractable: true })
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

export async function importKey(jwk: string): Promise<CryptoKey> {
  return (await importJWK(JSON.parse(jwk) as JWK, algorithm)) as CryptoKey
}
