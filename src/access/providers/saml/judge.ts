/**
 * The rules of the Web Browser SSO Profile (Profiles §4.1.4) for an assertion whose bytes were signed. Nothing is read
 * that is not below the given elements.
 */
import type { XmlElement } from '@xmldom/xmldom'
import { quoted, SamlRefusal } from './refusal.ts'
import { attributeOf, children, elementsIn, isNamed, textIn } from './xml.ts'

const skewMs = 60_000
const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'
const entityFormat = 'urn:oasis:names:tc:SAML:2.0:nameid-format:entity'

export type Expected = {
  /** The entity id of the provider. */
  issuer: string
  /** Our entity id. */
  audience: string
  /** Where the message arrived. */
  acsUrl: string
  /** The ID of the request of this browser; undefined for a sign-in that the provider started. */
  requestId: string | undefined
  /** Whether the NameID identifies the user. Otherwise it may be transient, or missing. */
  needsNameId: boolean
  now: number
}

export type Subject = { nameId: string | undefined; format: string | undefined }

export type Judged = {
  assertionId: string
  issuer: string
  subject: Subject
  attributes: ReadonlyMap<string, readonly string[]>
  authnContext: string
  authnInstantMs: number
  /** Until when the assertion could be used again, and must be remembered. */
  expiresAtMs: number
}

/** @throws SamlRefusal */
export function judgeResponse(response: XmlElement, expected: Expected, isSigned: boolean): void {
  checkVersion(response)
  instantOf(response, 'IssueInstant')
  const [issuer, ...others] = children(response, 'assertion', 'Issuer')
  if (others.length > 0) throw issuerWrong('The response has more than one Issuer.')
  if (issuer !== undefined) checkIssuer(issuer, expected)
  const destination = attributeOf(response, 'Destination')
  if (destination === undefined ? isSigned : !isSameAddress(destination, expected.acsUrl)) {
    throw new SamlRefusal(
      'destination_wrong',
      `The Destination is ${quotedOrMissing(destination)}, not ${expected.acsUrl}. Correct the ACS URL at the provider.`,
    )
  }
  checkRequest(attributeOf(response, 'InResponseTo'), expected)
}

/** @throws SamlRefusal */
export function judgeAssertion(assertion: XmlElement, expected: Expected): Judged {
  checkVersion(assertion)
  const assertionId = attributeOf(assertion, 'ID') ?? ''
  if (assertionId === '') throw malformed('The assertion has no ID.')
  if (instantOf(assertion, 'IssueInstant') > expected.now + skewMs) {
    throw new SamlRefusal('not_yet_valid', 'The assertion was issued in the future. Compare the clocks of both sides.')
  }
  checkIssuer(
    one(assertion, 'Issuer', () => issuerWrong('The assertion needs one Issuer.')),
    expected,
  )
  const subject = one(
    assertion,
    'Subject',
    () => new SamlRefusal('subject_missing', 'The assertion needs one Subject.'),
  )
  const confirmedUntil = judgeConfirmations(subject, expected)
  const conditionsUntil = judgeConditions(assertion, expected)
  return {
    assertionId,
    issuer: expected.issuer,
    subject: subjectIn(subject, expected),
    attributes: attributesIn(assertion),
    ...judgeAuthentication(assertion, expected),
    expiresAtMs: Math.min(confirmedUntil, conditionsUntil) + skewMs,
  }
}

/** White space around the NameID is that of a formatted document. A carriage return can only be an escaped one. */
function subjectIn(subject: XmlElement, { needsNameId }: Expected): Subject {
  const missing = (detail: string) =>
    new SamlRefusal('subject_missing', `${detail} Or set subject_claim to an attribute that identifies the user.`)
  const [nameId, ...others] = children(subject, 'assertion', 'NameID')
  if (others.length > 0 || (nameId === undefined && needsNameId)) {
    throw missing('The subject needs one NameID that is not encrypted by itself.')
  }
  const text = nameId && textIn(nameId)?.replaceAll(/^[ \t\n]+|[ \t\n]+$/g, '')
  const format = nameId && attributeOf(nameId, 'Format')
  const isText = text !== undefined && text !== '' && text.trim() === text
  if (!needsNameId) return { nameId: isText ? text : undefined, format }
  if (!isText) throw missing('The NameID is empty, or begins or ends with an unusual space.')
  if (format === transient) {
    const detail =
      'The NameID is transient, so it is another one at each sign-in. Let the provider send a persistent one, or set subject_claim to an attribute that identifies the user.'
    throw new SamlRefusal('subject_transient', detail)
  }
  return { nameId: text, format }
}

const defaultPorts: Readonly<Record<string, string>> = { https: ':443', http: ':80' }

/**
 * Whether two addresses differ at most in the case of scheme and host, or in a default port that is written out (RFC 3986
 * §6.2.2.1 and §6.2.3). Not read with `URL`, which would also make one of different paths.
 */
function isSameAddress(one: string, other: string): boolean {
  const plain = (address: string) =>
    address.replace(/^([a-z]+):\/\/([^/?#@\s\\]+)(?=[/?#]|$)/i, (_, scheme: string, authority: string) => {
      const [name, host] = [scheme.toLowerCase(), authority.toLowerCase()]
      const port = defaultPorts[name] ?? ''
      return `${name}://${port !== '' && host.endsWith(port) ? host.slice(0, -port.length) : host}`
    })
  return plain(one) === plain(other)
}

/** The text of the first NameID, even of an invalid assertion. */
export function nameIdIn(assertion: XmlElement): string | undefined {
  const [subject] = children(assertion, 'assertion', 'Subject')
  const [nameId] = subject === undefined ? [] : children(subject, 'assertion', 'NameID')
  return nameId === undefined ? undefined : textIn(nameId)
}

/** Requires one valid bearer confirmation (Profiles §4.1.4.3). Returns when it expires. */
function judgeConfirmations(subject: XmlElement, expected: Expected): number {
  const confirmations = children(subject, 'assertion', 'SubjectConfirmation')
  const bearers = confirmations.filter((each) => attributeOf(each, 'Method') === bearer)
  if (bearers.length === 0) {
    throw new SamlRefusal('confirmation_missing', 'The subject has no confirmation of the method bearer.')
  }
  let first: unknown
  for (const each of bearers) {
    try {
      return judgeBearer(each, expected)
    } catch (error) {
      first ??= error
    }
  }
  throw first
}

function judgeBearer(confirmation: XmlElement, expected: Expected): number {
  const data = one(
    confirmation,
    'SubjectConfirmationData',
    () => new SamlRefusal('confirmation_missing', 'The bearer confirmation needs one SubjectConfirmationData.'),
  )
  const recipient = attributeOf(data, 'Recipient')
  if (recipient === undefined || !isSameAddress(recipient, expected.acsUrl)) {
    const detail = `The Recipient is ${quotedOrMissing(recipient)}, not ${expected.acsUrl}. Correct the ACS URL at the provider.`
    throw new SamlRefusal('recipient_wrong', detail)
  }
  if (attributeOf(data, 'NotBefore') !== undefined) {
    throw new SamlRefusal('confirmation_missing', 'The bearer confirmation has a NotBefore, which the profile forbids.')
  }
  const until = instantOf(data, 'NotOnOrAfter')
  if (until <= expected.now - skewMs) {
    const detail = `The confirmation ended at ${attributeOf(data, 'NotOnOrAfter')}. Compare the clocks of both sides.`
    throw new SamlRefusal('confirmation_expired', detail)
  }
  checkRequest(attributeOf(data, 'InResponseTo'), expected)
  return until
}

/** Returns until when they hold. */
function judgeConditions(assertion: XmlElement, { audience, now }: Expected): number {
  const conditions = one(
    assertion,
    'Conditions',
    () => new SamlRefusal('conditions_missing', 'The assertion needs one Conditions element.'),
  )
  const [from, until] = ['NotBefore', 'NotOnOrAfter'].map((name) =>
    attributeOf(conditions, name) === undefined ? undefined : instantOf(conditions, name),
  )
  if (from !== undefined && from > now + skewMs) {
    throw new SamlRefusal('not_yet_valid', 'The assertion is not valid yet. Compare the clocks of both sides.')
  }
  if (until !== undefined && until <= now - skewMs) {
    throw new SamlRefusal('expired', 'The assertion is not valid any more. Compare the clocks of both sides.')
  }
  const parts = elementsIn(conditions)
  // Core §2.5.1.1: a condition that is not understood makes the assertion invalid.
  const known = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction']
  if (!parts.every((part) => known.some((local) => isNamed(part, 'assertion', local)))) {
    throw new SamlRefusal('conditions_missing', 'The assertion has a condition that is not understood.')
  }
  const restrictions = parts.filter(({ localName }) => localName === 'AudienceRestriction')
  const isOurs = (restriction: XmlElement) =>
    children(restriction, 'assertion', 'Audience').some((each) => textIn(each)?.trim() === audience)
  if (restrictions.length === 0 || !restrictions.every(isOurs)) {
    const named = restrictions
      .flatMap((each) => children(each, 'assertion', 'Audience'))
      .map((each) => quoted(textIn(each) ?? ''))
    const detail = `The audience is ${named.slice(0, 5).join(', ') || 'missing'}, not ${audience}. Correct the entity id of this service at the provider.`
    throw new SamlRefusal('audience_wrong', detail)
  }
  return until ?? Number.POSITIVE_INFINITY
}

function judgeAuthentication(assertion: XmlElement, { now }: Expected) {
  const missing = (detail: string) => new SamlRefusal('authentication_missing', detail)
  const [statement, ...others] = children(assertion, 'assertion', 'AuthnStatement')
  if (statement === undefined || others.length > 0) throw missing('The assertion needs one AuthnStatement.')
  const authnInstantMs = instantOf(statement, 'AuthnInstant')
  if (authnInstantMs > now + skewMs) throw new SamlRefusal('not_yet_valid', 'The AuthnInstant is in the future.')
  if (
    attributeOf(statement, 'SessionNotOnOrAfter') !== undefined &&
    instantOf(statement, 'SessionNotOnOrAfter') <= now - skewMs
  ) {
    throw new SamlRefusal('session_expired', 'The session of the user at the provider has ended.')
  }
  const context = one(statement, 'AuthnContext', () => missing('The AuthnStatement needs one AuthnContext.'))
  const [reference] = children(context, 'assertion', 'AuthnContextClassRef')
  return { authnInstantMs, authnContext: (reference === undefined ? undefined : textIn(reference))?.trim() ?? '' }
}

/** Values that are not text, such as an element, do not count. */
export function attributesIn(assertion: XmlElement): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const statement of children(assertion, 'assertion', 'AttributeStatement')) {
    for (const each of children(statement, 'assertion', 'Attribute')) {
      const name = attributeOf(each, 'Name') ?? ''
      const values = children(each, 'assertion', 'AttributeValue').flatMap((value) => textIn(value) ?? [])
      found.set(name, [...(found.get(name) ?? []), ...values])
    }
  }
  return found
}

function checkVersion(element: XmlElement): void {
  if (attributeOf(element, 'Version') !== '2.0')
    throw new SamlRefusal('version_wrong', 'The message is not of SAML 2.0.')
}

function checkIssuer(issuer: XmlElement, expected: Expected): void {
  const format = attributeOf(issuer, 'Format')
  const text = textIn(issuer)?.trim()
  if (text === expected.issuer && (format === undefined || format === entityFormat)) return
  throw issuerWrong(
    `The Issuer is ${quotedOrMissing(text)}, not ${expected.issuer}. Correct the entity id of the provider in the connection.`,
  )
}

function issuerWrong(detail: string): SamlRefusal {
  return new SamlRefusal('issuer_wrong', detail)
}

/** A sign-in that the provider started must not respond to a request. */
function checkRequest(inResponseTo: string | undefined, { requestId }: Expected): void {
  if (inResponseTo === requestId) return
  if (requestId === undefined) {
    throw new SamlRefusal(
      'in_response_to_wrong',
      'The message answers a request that is not waiting. It may have expired.',
    )
  }
  throw new SamlRefusal(
    'in_response_to_wrong',
    'The message does not answer the request of this browser (InResponseTo).',
  )
}

/** Core §1.3.3: in UTC, with a Z. */
function instantOf(element: XmlElement, name: string): number {
  const text = attributeOf(element, name) ?? ''
  const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,12})?Z$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(instant)) throw malformed(`${element.localName} needs the attribute ${name}, an instant in UTC.`)
  return instant
}

function one(parent: XmlElement, local: string, missing: () => SamlRefusal): XmlElement {
  const [element, ...others] = children(parent, 'assertion', local)
  if (element === undefined || others.length > 0) throw missing()
  return element
}

function malformed(detail: string): SamlRefusal {
  return new SamlRefusal('message_malformed', detail)
}

function quotedOrMissing(text: string | undefined): string {
  return text === undefined ? 'missing' : quoted(text)
}
