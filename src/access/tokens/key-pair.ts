/** Creates, seals and opens the key pairs that sign access tokens. */
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { seal, unseal } from '../../lib/sealing.ts'
import type { MadeKey } from './signing-keys.ts'
import type { SigningKeyRow } from './store.ts'

/** RFC 8037's name; fixed, so that no header of a token can choose another. */
export const algorithm = 'EdDSA'

export async function makeKeyPair(secret: string | undefined): Promise<MadeKey> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { crv: 'Ed25519', extractable: true })
  const [open, closed] = [await exportJWK(publicKey), await exportJWK(privateKey)]
  const kid = await calculateJwkThumbprint(open)
  return {
    kid,
    public_key: JSON.stringify({ ...open, kid, alg: algorithm, use: 'sig' }),
    ...(secret === undefined
      ? { private_key: JSON.stringify(closed), sealed: 0 }
      : { private_key: sealPrivateKey(secret, kid, JSON.stringify(closed)), sealed: 1 }),
  }
}

/** The kid is the label: a sealed key that was copied over another one does not open. */
export function sealPrivateKey(secret: string, kid: string, privateKey: string): string {
  return seal(secret, privateKey, `signing key ${kid}`)
}

/** @throws Error if the key was sealed with another secret */
export function openPrivateKey(row: SigningKeyRow, secret: string | undefined): string {
  if (row.sealed === 0) return row.private_key
  if (secret === undefined) throw new Error('The private key is encrypted, but no secret is configured.')
  return unseal(secret, row.private_key, `signing key ${row.kid}`)
}

export async function importKey(jwk: string): Promise<CryptoKey> {
  return (await importJWK(JSON.parse(jwk) as JWK, algorithm)) as CryptoKey
}
