/** The service provider metadata of one connection (Metadata §2.4.4). */
type Described = {
  entityId: string
  acsUrl: string
  /** PEM; the provider verifies requests with it, and encrypts to it. */
  certificate: string | undefined
  signsRequests: boolean
  /** Whether the provider is asked to encrypt assertions. */
  offersEncryption: boolean
}

const formats = ['2.0:nameid-format:persistent', '1.1:nameid-format:emailAddress', '1.1:nameid-format:unspecified']
const encryptions = [
  'http://www.w3.org/2009/xmlenc11#aes256-gcm',
  'http://www.w3.org/2009/xmlenc11#aes128-gcm',
  'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
]

export function spMetadata({ entityId, acsUrl, certificate, signsRequests, offersEncryption }: Described): string {
  const key = (use: string, methods: string) =>
    certificate === undefined
      ? ''
      : `
    <md:KeyDescriptor use="${use}">
      <ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${base64Of(certificate)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>${methods}
    </md:KeyDescriptor>`
  const methods = encryptions.map((uri) => `\n      <md:EncryptionMethod Algorithm="${uri}"/>`).join('')
  const nameIds = formats
    .map((one) => `\n    <md:NameIDFormat>urn:oasis:names:tc:SAML:${one}</md:NameIDFormat>`)
    .join('')
  return `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${escapeXml(entityId)}">
  <md:SPSSODescriptor AuthnRequestsSigned="${signsRequests}" WantAssertionsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${key('signing', '')}${offersEncryption ? key('encryption', methods) : ''}${nameIds}
    <md:AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${escapeXml(acsUrl)}" index="0" isDefault="true"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`
}

function base64Of(pem: string): string {
  return pem.replaceAll(/-----[A-Z ]+-----|\s/g, '')
}

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
