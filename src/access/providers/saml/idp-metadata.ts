/** The metadata of an identity provider (Metadata §2.4.3). Its signature does not count: the operator compares fingerprints. */
import { X509Certificate } from 'node:crypto'
import type { XmlElement } from '@xmldom/xmldom'
import { type CertificateFault, readCertificate } from '../connections/service.ts'
import { SamlRefusal } from './refusal.ts'
import { textOf } from './scan.ts'
import { attributeOf, children, isNamed, parseXml, textIn } from './xml.ts'

type IdpMetadata = {
  entityId: string
  ssoUrl: string
  /** PEM, each once. */
  certificates: string[]
  wantsSignedRequests: boolean
}

const redirectBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'
const protocol = 'urn:oasis:names:tc:SAML:2.0:protocol'

/** @throws SamlRefusal with words for the operator */
export function readIdpMetadata(bytes: Uint8Array, now: number): IdpMetadata {
  const text = textOf(bytes).trim()
  if (/^<(!doctype html|html)\b/i.test(text)) {
    throw refused(
      'This is a web page, not SAML metadata. Use the address or the document that the provider offers as metadata.',
    )
  }
  const root = parseXml(text)
  const entities = entitiesIn(root).flatMap((entity) =>
    children(entity, 'metadata', 'IDPSSODescriptor')
      .filter((one) => (attributeOf(one, 'protocolSupportEnumeration') ?? '').split(/\s+/).includes(protocol))
      .map((descriptor) => ({ entity, descriptor })),
  )
  const [found, ...others] = entities
  if (found === undefined) throw refused('The metadata describes no identity provider of SAML 2.0.')
  if (others.length > 0) throw refused('The metadata describes more than one identity provider. Paste the part of one.')
  const { entity, descriptor } = found
  for (const one of [root, entity, descriptor]) refuseExpired(one, now)
  const entityId = attributeOf(entity, 'entityID') ?? ''
  if (entityId === '' || entityId.length > 1024) throw refused('The metadata has no entityID.')
  const services = children(descriptor, 'metadata', 'SingleSignOnService')
  const service = services.find((one) => attributeOf(one, 'Binding') === redirectBinding)
  if (service === undefined)
    throw refused('The identity provider has no SingleSignOnService with the binding HTTP-Redirect.')
  return {
    entityId,
    ssoUrl: attributeOf(service, 'Location') ?? '',
    certificates: signingCertificates(descriptor),
    wantsSignedRequests: /^(true|1)$/.test(attributeOf(descriptor, 'WantAuthnRequestsSigned') ?? ''),
  }
}

function entitiesIn(root: XmlElement): XmlElement[] {
  if (isNamed(root, 'metadata', 'EntityDescriptor')) return [root]
  if (isNamed(root, 'metadata', 'EntitiesDescriptor')) return children(root, 'metadata', 'EntityDescriptor')
  throw refused('This is not SAML metadata: the root element must be EntityDescriptor.')
}

function refuseExpired(element: XmlElement, now: number): void {
  const until = attributeOf(element, 'validUntil')
  if (until !== undefined && !(Date.parse(until) > now)) throw refused(`The metadata was valid until ${until}.`)
}

function signingCertificates(descriptor: XmlElement): string[] {
  const faults = new Set<CertificateFault>()
  const found = new Map<string, string>()
  for (const key of children(descriptor, 'metadata', 'KeyDescriptor')) {
    if (!['signing', undefined].includes(attributeOf(key, 'use'))) continue
    const texts = children(key, 'signature', 'KeyInfo')
      .flatMap((one) => children(one, 'signature', 'X509Data'))
      .flatMap((one) => children(one, 'signature', 'X509Certificate'))
      .map((one) => textIn(one) ?? '')
    for (const text of texts) {
      const certificate = readCertificate(text)
      if (certificate instanceof X509Certificate) found.set(certificate.fingerprint256, certificate.toString())
      else faults.add(certificate)
    }
  }
  if (found.size > 0) return [...found.values()]
  throw refused(
    faults.has('certificate_weak')
      ? 'The keys of the identity provider are too weak: RSA needs 2048 bits.'
      : 'The metadata has no certificate for signing.',
  )
}

function refused(detail: string): SamlRefusal {
  return new SamlRefusal('message_malformed', detail)
}
