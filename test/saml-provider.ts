/** An identity provider that signs what it is told to, right or wrong. */
import {
  constants,
  createCipheriv,
  generateKeyPairSync,
  type KeyObject,
  publicEncrypt,
  randomBytes,
  X509Certificate,
} from 'node:crypto'
import { SignedXml } from 'xml-crypto'
import { enveloped, exclusiveC14n, signatureSchemes, strictSignedXml } from '../src/access/providers/saml/algorithms.ts'
import { certificateFor, toPem } from '../src/access/providers/saml/self-signed.ts'

export type SigningKey = { privateKey: KeyObject; certificate: X509Certificate; pem: string }

export function signingKey(modulusLength = 2048, until?: Date): SigningKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength })
  const der = certificateFor(privateKey, 'idp.example.com', Date.now(), until)
  return { privateKey, certificate: new X509Certificate(der), pem: toPem(der) }
}

export type Signing = { key: SigningKey; signatureAlgorithm?: string; digestAlgorithm?: string; transforms?: string[] }

const more = 'http://www.w3.org/2001/04/xmldsig-more#'

/** Signs the only element with this local name, with the signature after its Issuer. */
export function signElement(xml: string, local: 'Assertion' | 'Response', signing: Signing): string {
  const { key, signatureAlgorithm = `${more}rsa-sha256`, transforms = [enveloped, exclusiveC14n] } = signing
  const pem = key.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  const isOurs = Object.hasOwn(signatureSchemes, signatureAlgorithm)
  const signer = isOurs ? strictSignedXml(pem) : new SignedXml({ privateKey: pem })
  Object.assign(signer, {
    privateKey: pem,
    publicCert: key.pem,
    signatureAlgorithm,
    canonicalizationAlgorithm: exclusiveC14n,
  })
  const weak = new SignedXml({})
  signer.HashAlgorithms = { ...weak.HashAlgorithms, ...signer.HashAlgorithms }
  signer.CanonicalizationAlgorithms = weak.CanonicalizationAlgorithms
  const xpath = `//*[local-name(.)='${local}']`
  signer.addReference({
    xpath,
    transforms,
    digestAlgorithm: signing.digestAlgorithm ?? 'http://www.w3.org/2001/04/xmlenc#sha256',
  })
  const reference = `${xpath}/*[local-name(.)='Issuer']`
  signer.computeSignature(xml, { prefix: 'ds', location: { reference, action: 'after' } })
  return signer.getSignedXml()
}

export type Parts = {
  issuer: string
  audience: string
  acsUrl: string
  requestId?: string | undefined
  now?: number
  nameId?: string
  attributes?: Record<string, readonly string[] | string>
  authnContext?: string
  authnInstant?: string
  /** Replaces parts of the text before it is signed. */
  change?: (xml: string) => string
  changeResponse?: (xml: string) => string
  sign?: 'assertion' | 'response' | 'both' | 'none'
  encryptTo?: X509Certificate
  encryption?: Encryption
}

type Encryption = { method?: string; wrapping?: string }

const at = (ms: number) => new Date(ms).toISOString()
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

function assertionXml(parts: Parts): string {
  const { issuer, audience, acsUrl, requestId, now = Date.now(), nameId = 'subject-1', attributes = {} } = parts
  const { authnContext = 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport', authnInstant = at(now) } =
    parts
  const answers = requestId === undefined ? '' : ` InResponseTo="${requestId}"`
  const statements = Object.entries(attributes).map(
    ([name, values]) =>
      `<saml:Attribute Name="${escaped(name)}">${[values]
        .flat()
        .map((value) => `<saml:AttributeValue>${escaped(value)}</saml:AttributeValue>`)
        .join('')}</saml:Attribute>`,
  )
  return `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_a${randomBytes(16).toString('hex')}" Version="2.0" IssueInstant="${at(now)}"><saml:Issuer>${escaped(issuer)}</saml:Issuer><saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">${escaped(nameId)}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData Recipient="${acsUrl}" NotOnOrAfter="${at(now + 300_000)}"${answers}/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${at(now - 5000)}" NotOnOrAfter="${at(now + 300_000)}"><saml:AudienceRestriction><saml:Audience>${escaped(audience)}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${authnInstant}" SessionIndex="_s1"><saml:AuthnContext><saml:AuthnContextClassRef>${authnContext}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>${statements.length > 0 ? `<saml:AttributeStatement>${statements.join('')}</saml:AttributeStatement>` : ''}</saml:Assertion>`
}

export function responseXml({ issuer, acsUrl, requestId, now = Date.now() }: Parts, assertion: string): string {
  const answers = requestId === undefined ? '' : ` InResponseTo="${requestId}"`
  return `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_r${randomBytes(16).toString('hex')}" Version="2.0" IssueInstant="${at(now)}" Destination="${acsUrl}"${answers}><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${escaped(issuer)}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>${assertion}</samlp:Response>`
}

/** A response of this provider, in XML. */
export function respond(parts: Parts, signing: Signing): string {
  const { sign = 'assertion', change = (xml) => xml, changeResponse = (xml) => xml } = parts
  let assertion = change(assertionXml(parts))
  if (sign === 'assertion' || sign === 'both') assertion = signElement(assertion, 'Assertion', signing)
  if (parts.encryptTo !== undefined) assertion = encrypted(assertion, parts.encryptTo, parts.encryption)
  const response = changeResponse(responseXml(parts, assertion))
  if (sign !== 'response' && sign !== 'both') return response
  // The signature of the assertion has an Issuer before it as well.
  return signResponse(response, signing)
}

function signResponse(response: string, signing: Signing): string {
  return signElement(response, 'Response', signing)
}

const gcm = 'http://www.w3.org/2009/xmlenc11#aes256-gcm'
const oaep = 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p'

export function encrypted(
  assertion: string,
  to: X509Certificate,
  { method = gcm, wrapping = oaep }: Encryption = {},
): string {
  const isGcm = method.endsWith('-gcm')
  const bits = Number(/aes(\d+)-/.exec(method)?.[1])
  const [key, nonce] = [randomBytes(bits / 8), randomBytes(isGcm ? 12 : 16)]
  const cipher = createCipheriv(`aes-${bits}-${isGcm ? 'gcm' : 'cbc'}` as 'aes-256-gcm', key, nonce)
  const body = Buffer.concat([
    nonce,
    cipher.update(assertion, 'utf8'),
    cipher.final(),
    ...(isGcm ? [cipher.getAuthTag()] : []),
  ])
  const padding = wrapping.endsWith('rsa-1_5') ? constants.RSA_PKCS1_PADDING : constants.RSA_PKCS1_OAEP_PADDING
  const is11 = wrapping.endsWith('#rsa-oaep')
  const wrapped = publicEncrypt({ key: to.publicKey, padding, oaepHash: is11 ? 'sha256' : 'sha1' }, key)
  const parameters = is11
    ? '<ds:DigestMethod xmlns:ds="http://www.w3.org/2000/09/xmldsig#" Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><e11:MGF xmlns:e11="http://www.w3.org/2009/xmlenc11#" Algorithm="http://www.w3.org/2009/xmlenc11#mgf1sha256"/>'
    : ''
  return `<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"><xenc:EncryptedData xmlns:xenc="http://www.w3.org/2001/04/xmlenc#" Type="http://www.w3.org/2001/04/xmlenc#Element"><xenc:EncryptionMethod Algorithm="${method}"/><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><xenc:EncryptedKey><xenc:EncryptionMethod Algorithm="${wrapping}">${parameters}</xenc:EncryptionMethod><xenc:CipherData><xenc:CipherValue>${wrapped.toString('base64')}</xenc:CipherValue></xenc:CipherData></xenc:EncryptedKey></ds:KeyInfo><xenc:CipherData><xenc:CipherValue>${body.toString('base64')}</xenc:CipherValue></xenc:CipherData></xenc:EncryptedData></saml:EncryptedAssertion>`
}

export const encode = (xml: string): string => Buffer.from(xml).toString('base64')
