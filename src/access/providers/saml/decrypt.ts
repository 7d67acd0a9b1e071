/**
 * Encrypted assertions (XML Encryption 1.1): AES-GCM with RSA-OAEP only. CBC and PKCS #1 v1.5 tell an attacker, by how they
 * fail, what is inside. The primitives are Node's; xml-encryption knows neither this version of OAEP nor a list of permitted ones.
 */
import { constants, createDecipheriv, type KeyObject, privateDecrypt } from 'node:crypto'
import type { XmlElement } from '@xmldom/xmldom'
import { quoted, SamlRefusal } from './refusal.ts'
import { textOf } from './scan.ts'
import { attributeOf, children, elementsIn, everyElement, isNamed, type Space, textIn } from './xml.ts'

const keyLengths: Readonly<Record<string, number>> = {
  'http://www.w3.org/2009/xmlenc11#aes128-gcm': 16,
  'http://www.w3.org/2009/xmlenc11#aes192-gcm': 24,
  'http://www.w3.org/2009/xmlenc11#aes256-gcm': 32,
}

const oaepDigests: Readonly<Record<string, string>> = {
  'http://www.w3.org/2000/09/xmldsig#sha1': 'sha1',
  'http://www.w3.org/2001/04/xmlenc#sha256': 'sha256',
  'http://www.w3.org/2001/04/xmldsig-more#sha384': 'sha384',
  'http://www.w3.org/2001/04/xmlenc#sha512': 'sha512',
}

const orNotAtAll =
  'If it cannot, set offer_encryption_key to false and let the provider read the metadata of this connection again, so that it does not encrypt.'

/** Returns the text of the assertion. @throws SamlRefusal */
export function decrypt(encrypted: XmlElement, privateKey: KeyObject | undefined): string {
  if (privateKey === undefined) throw refused('The assertion is encrypted, and the connection has no key.')
  const data = one(encrypted, 'encryption', 'EncryptedData')
  const method = attributeOf(one(data, 'encryption', 'EncryptionMethod'), 'Algorithm') ?? ''
  const keyLength = keyLengths[method]
  if (keyLength === undefined) {
    throw refused(`The assertion is encrypted with ${quoted(method)}. Let the provider use AES-GCM. ${orNotAtAll}`)
  }
  const keys = [...everyElement(encrypted)].filter((element) => isNamed(element, 'encryption', 'EncryptedKey'))
  const [wrapped] = keys
  if (wrapped === undefined || keys.length > 1) throw refused('The assertion needs one encrypted key.')
  const oaepHash = oaepHashOf(one(wrapped, 'encryption', 'EncryptionMethod'))
  const [cipher, key] = [bytesIn(data), bytesIn(wrapped)]
  let plain: Buffer
  try {
    const unwrapped = privateDecrypt({ key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }, key)
    if (unwrapped.length !== keyLength || cipher.length < 28) throw new Error('The lengths do not fit.')
    const opening = createDecipheriv(`aes-${keyLength * 8}-gcm` as 'aes-128-gcm', unwrapped, cipher.subarray(0, 12), {
      authTagLength: 16,
    })
    opening.setAuthTag(cipher.subarray(-16))
    plain = Buffer.concat([opening.update(cipher.subarray(12, -16)), opening.final()])
  } catch (error) {
    throw new SamlRefusal(
      'decryption_failed',
      'The assertion cannot be decrypted. Give the provider the certificate of this connection again.',
      error,
    )
  }
  return textOf(plain)
}

/** Node takes one hash for the label and for the mask, so the two must agree. */
function oaepHashOf(method: XmlElement): string {
  const algorithm = attributeOf(method, 'Algorithm') ?? ''
  const is11 = algorithm === 'http://www.w3.org/2009/xmlenc11#rsa-oaep'
  if (!is11 && algorithm !== 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p') {
    throw refused(
      `The key of the assertion is encrypted with ${quoted(algorithm)}. Let the provider use RSA-OAEP. ${orNotAtAll}`,
    )
  }
  const parts = elementsIn(method)
  const known = parts.filter(
    (part) => isNamed(part, 'signature', 'DigestMethod') || (is11 && isNamed(part, 'encryption11', 'MGF')),
  )
  const of = (local: string) => parts.filter(({ localName }) => localName === local)
  if (known.length !== parts.length || of('DigestMethod').length > 1 || of('MGF').length > 1) {
    throw refused('The key of the assertion is encrypted with parameters that are not accepted.')
  }
  const [digestMethod] = of('DigestMethod')
  const [mask] = of('MGF')
  const digest = digestMethod === undefined ? 'sha1' : oaepDigests[attributeOf(digestMethod, 'Algorithm') ?? '']
  const maskHash =
    mask === undefined
      ? 'sha1'
      : /^http:\/\/www\.w3\.org\/2009\/xmlenc11#mgf1(sha\d+)$/.exec(attributeOf(mask, 'Algorithm') ?? '')?.[1]
  if (digest === undefined || digest !== maskHash) {
    throw refused(
      'RSA-OAEP of the assertion uses different hashes for its digest and its mask. Let the provider use the same one.',
    )
  }
  return digest
}

function bytesIn(parent: XmlElement): Buffer {
  const text = textIn(one(one(parent, 'encryption', 'CipherData'), 'encryption', 'CipherValue')) ?? ''
  return Buffer.from(text, 'base64')
}

function one(parent: XmlElement, space: Space, local: string): XmlElement {
  const [element, ...others] = children(parent, space, local)
  if (element === undefined || others.length > 0) throw refused(`The encrypted assertion needs one ${local}.`)
  return element
}

function refused(detail: string): SamlRefusal {
  return new SamlRefusal('encryption_refused', detail)
}
