/**
 * Signatures of a message: which elements they sign, whether each of them is in the one form that counts (Core §5.4), and
 * the bytes that they cover. Only those bytes are read afterwards.
 */
import type { X509Certificate } from 'node:crypto'
import type { XmlElement } from '@xmldom/xmldom'
import { digests, enveloped, exclusiveC14n, signatureSchemes, strictSignedXml } from './algorithms.ts'
import { quoted, SamlRefusal } from './refusal.ts'
import { attributeOf, children, elementsIn, everyElement, isNamed, textIn } from './xml.ts'

/**
 * Finds the signatures of the root and of its assertion; any other one is refused, wherever it is.
 *
 * @throws SamlRefusal
 */
export function signaturesOf(root: XmlElement, assertion: XmlElement | undefined): Map<XmlElement, XmlElement> {
  const found = new Map<XmlElement, XmlElement>()
  for (const element of everyElement(root)) {
    if (element.localName !== 'Signature') continue
    const parent = element.parentNode as XmlElement
    if (!isNamed(element, 'signature', 'Signature') || (parent !== root && parent !== assertion)) {
      throw form('There is a signature that belongs neither to the response nor to its assertion.')
    }
    if (found.has(parent)) throw form('An element has more than one signature.')
    found.set(parent, element)
  }
  return found
}

/**
 * Returns the bytes that the signature covers: the canonical form of its parent, without the signature.
 *
 * @param text the message that `signature` was read from
 * @throws SamlRefusal
 */
export function signedBytes(text: string, signature: XmlElement, certificates: readonly X509Certificate[]): string {
  checkForm(signature)
  for (const { publicKey } of certificates) {
    const bytes = bytesUnder(text, signature, publicKey.export({ type: 'spki', format: 'pem' }) as string)
    if (bytes !== undefined) return bytes
  }
  throw new SamlRefusal(
    'signature_invalid',
    'No certificate of the connection verifies the signature. Compare the certificates with what the provider uses now.',
  )
}

function bytesUnder(text: string, signature: XmlElement, publicKey: string): string | undefined {
  const signed = strictSignedXml(publicKey)
  try {
    signed.loadSignature(signature)
    if (!signed.checkSignature(text)) return undefined
  } catch {
    // The library throws for a wrong signature value as well as for what it cannot read.
    return undefined
  }
  const [bytes, ...others] = signed.getSignedReferences()
  return others.length === 0 && bytes !== '' ? bytes : undefined
}

function checkForm(signature: XmlElement): void {
  const parent = signature.parentNode as XmlElement
  const parts = elementsIn(signature).map(({ localName }) => localName)
  // No Object: what it holds could be referenced.
  if (!/^SignedInfo,SignatureValue(,KeyInfo)?$/.test(parts.join()))
    throw form('A signature has other parts than it may have.')
  const info = only(signature, 'SignedInfo')
  // Libraries have verified one and read another (CVE-2025-29774).
  if ([...everyElement(signature)].some((one) => one.localName === 'SignedInfo' && one !== info)) {
    throw form('A signature has more than one SignedInfo.')
  }
  const [canonicalization, method, reference, ...others] = elementsIn(info)
  if (!canonicalization || !method || !reference || others.length > 0)
    throw form('A signature covers other than one element.')
  if (![canonicalization, method, reference].every(({ namespaceURI }) => namespaceURI === signature.namespaceURI)) {
    throw form('A part of a signature is in another namespace.')
  }
  if (algorithmOf(canonicalization, 'CanonicalizationMethod') !== exclusiveC14n) {
    throw form('A signature uses another canonicalization than exclusive.')
  }
  const algorithm = algorithmOf(method, 'SignatureMethod')
  if (!Object.hasOwn(signatureSchemes, algorithm)) {
    throw weak(
      `The signature algorithm ${quoted(algorithm)} is not accepted. Let the provider sign with RSA or ECDSA and SHA-256.`,
    )
  }
  checkReference(reference, parent)
  only(signature, 'SignatureValue', textIn)
}

function checkReference(reference: XmlElement, parent: XmlElement): void {
  if (reference.localName !== 'Reference') throw form('A signature covers other than one element.')
  const id = attributeOf(parent, 'ID')
  if (id === undefined || attributeOf(reference, 'URI') !== `#${id}`)
    throw form('A signature refers to another element than its parent.')
  if (
    elementsIn(reference)
      .map(({ localName }) => localName)
      .join() !== 'Transforms,DigestMethod,DigestValue'
  ) {
    throw form('The reference of a signature has other parts than it may have.')
  }
  const transforms = elementsIn(only(reference, 'Transforms'))
  const names = transforms.map((one) => (isNamed(one, 'signature', 'Transform') ? attributeOf(one, 'Algorithm') : ''))
  if (names.join(' ') !== `${enveloped} ${exclusiveC14n}`) {
    throw form('A signature uses other transforms than the enveloped signature and exclusive canonicalization.')
  }
  const [first, second] = transforms as [XmlElement, XmlElement]
  const prefixes = elementsIn(second)
  if (
    elementsIn(first).length > 0 ||
    prefixes.length > 1 ||
    !prefixes.every((one) => isNamed(one, 'exclusive', 'InclusiveNamespaces'))
  ) {
    throw form('A transform of a signature has other parts than it may have.')
  }
  const digest = algorithmOf(only(reference, 'DigestMethod'), 'DigestMethod')
  if (!Object.hasOwn(digests, digest)) {
    throw weak(`The digest algorithm ${quoted(digest)} is not accepted. Let the provider use SHA-256.`)
  }
  only(reference, 'DigestValue', textIn)
}

function algorithmOf(element: XmlElement, local: string): string {
  const algorithm = attributeOf(element, 'Algorithm')
  if (!isNamed(element, 'signature', local) || algorithm === undefined || elementsIn(element).length > 0) {
    throw form(`The ${local} of a signature has parts that it may not have.`)
  }
  return algorithm
}

/** @param read what must be defined of it */
function only(parent: XmlElement, local: string, read: (element: XmlElement) => unknown = () => true): XmlElement {
  const [element, ...others] = children(parent, 'signature', local)
  if (element === undefined || others.length > 0 || read(element) === undefined)
    throw form(`A signature needs one ${local}.`)
  return element
}

function form(detail: string): SamlRefusal {
  return new SamlRefusal('signature_form', detail)
}

function weak(detail: string): SamlRefusal {
  return new SamlRefusal('signature_weak', detail)
}
