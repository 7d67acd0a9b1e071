/** The request that sends a browser to the provider, in the HTTP-Redirect binding (Bindings §3.4). */
import { type KeyObject, sign } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { escapeXml } from './sp-metadata.ts'

export type Asking = {
  ssoUrl: string
  entityId: string
  acsUrl: string
  requestId: string
  relayState: string
  /** The provider must ask the user again. */
  isFresh: boolean
  /** Signs the request. */
  privateKey: KeyObject | undefined
  now: number
}

const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'

export function authnRequestUrl(asking: Asking): URL {
  const { ssoUrl, relayState, privateKey } = asking
  const signed = {
    SAMLRequest: deflateRawSync(authnRequest(asking)).toString('base64'),
    RelayState: relayState,
    ...(privateKey && { SigAlg: rsaSha256 }),
  }
  // The provider verifies exactly this text.
  const query = Object.entries(signed)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
  const signature = privateKey && sign('sha256', Buffer.from(query), privateKey).toString('base64')
  const ending = signature === undefined ? '' : `&Signature=${encodeURIComponent(signature)}`
  return new URL(`${ssoUrl}${ssoUrl.includes('?') ? '&' : '?'}${query}${ending}`)
}

function authnRequest({ ssoUrl, entityId, acsUrl, requestId, isFresh, now }: Asking): string {
  const attributes = {
    ID: requestId,
    Version: '2.0',
    IssueInstant: new Date(now).toISOString(),
    Destination: ssoUrl,
    ProtocolBinding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
    AssertionConsumerServiceURL: acsUrl,
    ...(isFresh && { ForceAuthn: 'true' }),
  }
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
  return `<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"${written.join('')}><saml:Issuer>${escapeXml(entityId)}</saml:Issuer><samlp:NameIDPolicy AllowCreate="true"/></samlp:AuthnRequest>`
}
