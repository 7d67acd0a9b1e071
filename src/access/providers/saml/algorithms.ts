/**
 * The algorithms that count. The library gets no others, so a message cannot choose SHA-1, an HMAC whose key is the
 * public certificate, or a transform that selects what is signed.
 */
import { constants, createHash, createPublicKey, type KeyLike, sign, verify } from 'node:crypto'
import { type SignatureAlgorithm, SignedXml } from 'xml-crypto'

const more = 'http://www.w3.org/2001/04/xmldsig-more#'

type Hash = 'sha256' | 'sha384' | 'sha512'
type Scheme = { keyType: 'rsa' | 'ec'; hash: Hash; isPss?: boolean }

export const signatureSchemes: Readonly<Record<string, Scheme>> = {
  [`${more}rsa-sha256`]: { keyType: 'rsa', hash: 'sha256' },
  [`${more}rsa-sha384`]: { keyType: 'rsa', hash: 'sha384' },
  [`${more}rsa-sha512`]: { keyType: 'rsa', hash: 'sha512' },
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1': { keyType: 'rsa', hash: 'sha256', isPss: true },
  [`${more}ecdsa-sha256`]: { keyType: 'ec', hash: 'sha256' },
  [`${more}ecdsa-sha384`]: { keyType: 'ec', hash: 'sha384' },
  [`${more}ecdsa-sha512`]: { keyType: 'ec', hash: 'sha512' },
}

export const digests: Readonly<Record<string, Hash>> = {
  'http://www.w3.org/2001/04/xmlenc#sha256': 'sha256',
  [`${more}sha384`]: 'sha384',
  'http://www.w3.org/2001/04/xmlenc#sha512': 'sha512',
}

export const enveloped = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'
export const exclusiveC14n = 'http://www.w3.org/2001/10/xml-exc-c14n#'

/** A verifier for these algorithms and one key only; it ignores the key that the message names. */
export function strictSignedXml(publicKey: KeyLike): SignedXml {
  const signed = new SignedXml({ publicCert: publicKey, getCertFromKeyInfo: () => null })
  const remaining = Object.entries(signed.CanonicalizationAlgorithms).filter(([uri]) =>
    [enveloped, exclusiveC14n].includes(uri),
  )
  signed.CanonicalizationAlgorithms = Object.fromEntries(remaining)
  signed.HashAlgorithms = Object.fromEntries(
    Object.entries(digests).map(([uri, hash]) => [uri, digestClass(uri, hash)]),
  )
  signed.SignatureAlgorithms = Object.fromEntries(
    Object.entries(signatureSchemes).map(([uri, scheme]) => [uri, signatureClass(uri, scheme)]),
  )
  return signed
}

function digestClass(uri: string, hash: Hash) {
  return class {
    getAlgorithmName = () => uri
    getHash = (xml: string) => createHash(hash).update(xml, 'utf8').digest('base64')
  }
}

function signatureClass(uri: string, { keyType, hash, isPss = false }: Scheme): new () => SignatureAlgorithm {
  const options = (key: KeyLike) => ({
    key: key as string,
    ...(isPss && { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }),
    // RFC 4050 §3.3: the two numbers one after the other, not DER.
    ...(keyType === 'ec' && { dsaEncoding: 'ieee-p1363' as const }),
  })
  return class {
    getAlgorithmName = () => uri
    getSignature = ((signedInfo: string, key: KeyLike) =>
      sign(hash, Buffer.from(signedInfo), options(key)).toString('base64')) as SignatureAlgorithm['getSignature']
    verifySignature = ((signedInfo: string, key: KeyLike, value: string) =>
      createPublicKey(key as string).asymmetricKeyType === keyType &&
      verify(
        hash,
        Buffer.from(signedInfo),
        options(key),
        Buffer.from(value, 'base64'),
      )) as SignatureAlgorithm['verifySignature']
  }
}
