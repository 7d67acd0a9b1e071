/**
 * A response of an identity provider, from the bytes that arrived to what may be believed: the gate, the signatures, then
 * only the signed bytes, read by the same parser and judged by the profile.
 */
import type { KeyObject, X509Certificate } from 'node:crypto'
import type { XmlElement } from '@xmldom/xmldom'
import { decrypt } from './decrypt.ts'
import { attributesIn, type Expected, type Judged, judgeAssertion, judgeResponse, nameIdIn } from './judge.ts'
import { quoted, SamlRefusal } from './refusal.ts'
import { largestMessageBytes, textOf } from './scan.ts'
import { signaturesOf, signedBytes } from './signature.ts'
import { attributeOf, children, everyElement, isNamed, parseXml, textIn } from './xml.ts'

export type Reading = Expected & {
  certificates: readonly X509Certificate[]
  /** Ours, for encrypted assertions. */
  decryptionKey: KeyObject | undefined
}

const success = 'urn:oasis:names:tc:SAML:2.0:status:Success'

/**
 * @param encoded the field SAMLResponse of the HTTP-POST binding
 * @throws SamlRefusal
 */
export function readResponse(encoded: string, reading: Reading): Judged {
  const text = textOf(decoded(encoded))
  const root = parseXml(text)
  if (!isNamed(root, 'protocol', 'Response')) {
    throw new SamlRefusal('message_malformed', `The message is a ${quoted(root.localName)}, not a Response.`)
  }
  refuseFailure(root)
  const assertion = theAssertion(root)
  const isEncrypted = assertion.localName === 'EncryptedAssertion'
  const { certificates } = reading
  const signatures = signaturesOf(root, isEncrypted ? undefined : assertion)
  const covered = new Map(
    [...signatures].map(([parent, signature]) => [parent, signedBytes(text, signature, certificates)]),
  )
  const ofResponse = covered.get(root)
  const response = ofResponse === undefined ? root : reread(ofResponse, root)
  judgeResponse(response, reading, ofResponse !== undefined)
  if (isEncrypted) {
    // From the signed bytes, if the response is signed.
    return judged(decryptedAssertion(theAssertion(response), reading, ofResponse !== undefined), reading)
  }
  const ofAssertion = covered.get(assertion)
  if (ofAssertion !== undefined) return judged(reread(ofAssertion, assertion), reading)
  if (ofResponse === undefined) throw missing()
  return judged(theAssertion(response), reading)
}

/** A refusal includes the assertion's claims for the administrator. */
function judged(assertion: XmlElement, reading: Reading): Judged {
  try {
    return judgeAssertion(assertion, reading)
  } catch (error) {
    if (error instanceof SamlRefusal)
      error.judged = { subject: nameIdIn(assertion), attributes: attributesIn(assertion) }
    throw error
  }
}

function decryptedAssertion(encrypted: XmlElement, reading: Reading, isCovered: boolean): XmlElement {
  const text = decrypt(encrypted, reading.decryptionKey)
  const root = parseXml(text)
  if (!isNamed(root, 'assertion', 'Assertion')) {
    throw new SamlRefusal('assertion_count', 'The encrypted element is not an assertion.')
  }
  refuseFurther(root, root)
  const signature = signaturesOf(root, undefined).get(root)
  if (signature !== undefined) return reread(signedBytes(text, signature, reading.certificates), root)
  if (!isCovered) throw missing()
  return root
}

/** Reads the bytes that were signed. They must be the element whose signature this is. */
function reread(bytes: string, parent: XmlElement): XmlElement {
  const root = parseXml(bytes)
  if (
    root.namespaceURI !== parent.namespaceURI ||
    root.localName !== parent.localName ||
    attributeOf(root, 'ID') !== attributeOf(parent, 'ID')
  ) {
    throw new SamlRefusal('signature_form', 'The signature covers another element than the one that contains it.')
  }
  return root
}

/** @throws SamlRefusal unless there is exactly one, where it belongs */
function theAssertion(response: XmlElement): XmlElement {
  const [found, ...others] = [
    ...children(response, 'assertion', 'Assertion'),
    ...children(response, 'assertion', 'EncryptedAssertion'),
  ]
  if (found === undefined || others.length > 0) {
    throw new SamlRefusal('assertion_count', 'The response needs exactly one Assertion or EncryptedAssertion.')
  }
  refuseFurther(response, found)
  return found
}

/** Wrapping attacks need a second one somewhere, in whatever namespace. */
function refuseFurther(root: XmlElement, assertion: XmlElement): void {
  for (const element of everyElement(root)) {
    if (element === root || element === assertion) continue
    if (/^(Response|Assertion|EncryptedAssertion)$/i.test(element.localName)) {
      throw new SamlRefusal('assertion_count', `There is another ${quoted(element.localName)} within the message.`)
    }
  }
}

function refuseFailure(response: XmlElement): void {
  const [status, ...others] = children(response, 'protocol', 'Status')
  const [code] = status === undefined ? [] : children(status, 'protocol', 'StatusCode')
  if (status === undefined || code === undefined || others.length > 0) {
    throw new SamlRefusal('message_malformed', 'The response needs one Status.')
  }
  if (attributeOf(code, 'Value') === success) return
  const codes = [code, ...children(code, 'protocol', 'StatusCode')].map((each) =>
    quoted(attributeOf(each, 'Value') ?? ''),
  )
  const [message] = children(status, 'protocol', 'StatusMessage')
  const words = message === undefined ? '' : `: ${quoted(textIn(message) ?? '')}`
  throw new SamlRefusal('provider_refused', `The provider answered with ${codes.join(', ')}${words}.`)
}

function decoded(encoded: string): Buffer {
  const text = encoded.replaceAll(/[ \t\r\n]/g, '')
  if (text.length > Math.ceil(largestMessageBytes / 3) * 4) {
    throw new SamlRefusal('message_too_large', 'The message is larger than 256 KiB.')
  }
  if (text === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) {
    throw new SamlRefusal('message_malformed', 'SAMLResponse is not base64.')
  }
  return Buffer.from(text, 'base64')
}

function missing(): SamlRefusal {
  return new SamlRefusal(
    'signature_missing',
    'Neither the response nor the assertion is signed. Let the provider sign one of them.',
  )
}
