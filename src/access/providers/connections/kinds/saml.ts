/** SAML 2.0: its settings, and what an assertion means. The protocol is in access/providers/saml. */
import { X509Certificate } from 'node:crypto'
import { type InputFault, memberFault } from '../../../../core/errors.ts'
import { certificateFacts, readCertificate } from './certificates.ts'
import type { Claims, Kind } from './kind.ts'

const samlPresets = ['generic', 'entra', 'okta', 'keycloak', 'google', 'adfs'] as const

const attribute = (of: string, otherwise: string) =>
  ({
    type: ['string', 'null'],
    minLength: 1,
    maxLength: 256,
    description: `SAML: the attribute with the ${of}. Null: ${otherwise}.`,
  }) as const

export const samlMembers = {
  entity_id: {
    type: 'string',
    minLength: 1,
    maxLength: 1024,
    description: 'SAML: the entity id of the provider, exactly as its metadata has it.',
    examples: ['http://www.okta.com/exk1example'],
  },
  sso_url: {
    type: 'string',
    maxLength: 2048,
    description: 'SAML: where the browser is sent, with the binding HTTP-Redirect.',
    examples: ['https://example.okta.com/app/exk1example/sso/saml'],
  },
  certificates: {
    type: 'array',
    minItems: 1,
    maxItems: 5,
    items: { type: 'string', maxLength: 16_384 },
    description:
      'SAML: the certificates with which the provider signs, in PEM. Only these are trusted: list the next one beside the current one before the provider switches. Only the keys matter: RSA from 2048 bits on, or ECDSA.',
  },
  sign_requests: { type: 'boolean', description: 'SAML: sign the requests to the provider.' },
  offer_encryption_key: {
    type: 'boolean',
    description:
      'SAML: the metadata of this service offers a key to encrypt assertions with, by AES-GCM and RSA-OAEP. Switch it off for providers that then encrypt with AES-CBC, which is refused: AD FS, SimpleSAMLphp. Default: on, and off with the preset adfs.',
  },
  sp_certificate: {
    type: 'string',
    maxLength: 16_384,
    description:
      'SAML: the certificate of this service for the connection, in PEM. The provider encrypts assertions to it and verifies signed requests with it. Made with the connection unless you send it with `sp_private_key`.',
  },
  allow_unsolicited: {
    type: 'boolean',
    description:
      'SAML: also accept sign-ins that begin at the provider (IdP-initiated). Then an attacker can sign a user in to an account of the attacker, so leave it off unless a portal of the provider needs it.',
  },
  emails_verified: {
    type: 'boolean',
    description:
      'SAML: you state that the provider lets no user choose their own address, so every address counts as verified. An assertion itself never says so.',
  },
  subject_claim: attribute('id of the account, which must never be given to another person', 'the NameID'),
  email_claim: attribute('email address', 'the usual names, or a NameID that is an address'),
  first_name_claim: attribute('first name', 'the usual names'),
  last_name_claim: attribute('last name', 'the usual names'),
} as const

/** Completed to the members above before anything is stored. */
export const samlInputs = {
  metadata_url: {
    type: 'string',
    maxLength: 2048,
    description:
      'SAML: read `entity_id`, `sso_url` and `certificates` from the metadata at this https address, once, now. Compare the fingerprints in the response with what the provider shows.',
    examples: ['https://example.okta.com/app/exk1example/sso/saml/metadata'],
  },
  metadata: {
    type: 'string',
    maxLength: 262_144,
    description: 'SAML: read them from this metadata, the text of the XML document.',
  },
} as const

export const samlSecrets = {
  sp_private_key: {
    type: 'string',
    minLength: 1,
    maxLength: 16_384,
    description: 'SAML: the private key of `sp_certificate`, in PEM. Made with the connection unless you send both.',
  },
} as const

export const samlAddresses = {
  acs_url: {
    type: 'string',
    description:
      'SAML: the assertion consumer service (ACS) of this connection. The provider posts its responses there.',
    examples: ['https://app.example.com/auth/connections/019a9f3e-0000-7000-8000-000000000000/callback'],
  },
  sp_entity_id: {
    type: 'string',
    description: 'SAML: the entity id of this service for the connection, and the address of its metadata.',
    examples: ['https://app.example.com/auth/connections/019a9f3e-0000-7000-8000-000000000000/metadata'],
  },
} as const

/** Members of responses only. */
export const samlFacts = {
  certificate_details: {
    type: 'array',
    description: 'SAML: the fingerprints to compare, and when each certificate expires.',
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['fingerprint', 'subject', 'not_before', 'not_after'],
      properties: {
        fingerprint: { type: 'string', description: 'SHA-256.' },
        subject: { type: 'string' },
        not_before: { type: 'string', format: 'date-time' },
        not_after: { type: 'string', format: 'date-time', description: 'Announced 30 days before.' },
      },
    },
  },
} as const

export type SamlSettings = {
  entity_id: string
  sso_url: string
  certificates: string[]
  sign_requests: boolean
  offer_encryption_key: boolean
  sp_certificate: string
  allow_unsolicited: boolean
  emails_verified: boolean
  subject_claim: string | null
  email_claim: string | null
  first_name_claim: string | null
  last_name_claim: string | null
}

const claimsOfXmlsoap = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'
const emailFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
const entraMethods = 'http://schemas.microsoft.com/claims/authnmethodsreferences'
const entraMultiFactor = 'http://schemas.microsoft.com/claims/multipleauthn'

/** The providers' default names for them: by name, by Microsoft's claim types, by OID. */
const usualNames = {
  email: ['email', 'mail', 'Email', `${claimsOfXmlsoap}/emailaddress`, 'urn:oid:0.9.2342.19200300.100.1.3'],
  first: [
    'given_name',
    'givenName',
    'firstName',
    'FirstName',
    'first_name',
    `${claimsOfXmlsoap}/givenname`,
    'urn:oid:2.5.4.42',
  ],
  last: [
    'family_name',
    'sn',
    'surname',
    'lastName',
    'LastName',
    'last_name',
    `${claimsOfXmlsoap}/surname`,
    'urn:oid:2.5.4.4',
  ],
} as const

export const saml: Kind = {
  name: 'saml',
  title: 'SAML 2.0',
  presets: samlPresets,
  way: 'redirect',
  returnsByPost: true,
  prepares: true,
  members: Object.keys(samlMembers),
  inputs: Object.keys(samlInputs),
  secrets: Object.keys(samlSecrets),
  initial: {
    sign_requests: false,
    allow_unsolicited: false,
    emails_verified: false,
    subject_claim: null,
    email_claim: null,
    first_name_claim: null,
    last_name_claim: null,
  },
  identifying: ['entity_id', 'sso_url', 'certificates', 'subject_claim'],
  // The private key is never sent.
  destinations: [],
  addresses: (base) => ({ acs_url: `${base}/callback`, sp_entity_id: `${base}/metadata` }),
  facts: (settings) => ({
    certificate_details: ((settings as Partial<SamlSettings>).certificates ?? []).map((one) =>
      certificateFacts(new X509Certificate(one)),
    ),
  }),

  normalize(settings, inputNames) {
    const { sso_url, certificates, entity_id, preset } = settings as Partial<SamlSettings> & { preset?: string }
    const faults: InputFault[] = []
    // AD FS has no AES-GCM.
    const settled: Record<string, unknown> = { offer_encryption_key: preset !== 'adfs', ...settings }
    if (certificates !== undefined) settled.certificates = certificates.map((text, index) => pemOf(text, index, faults))
    if (sso_url !== undefined && inputNames.has('sso_url')) faults.push(...urlFaults('sso_url', sso_url))
    if (entity_id !== undefined && /[\p{Cc}\s]/u.test(entity_id)) {
      faults.push(memberFault('entity_id', 'entity_id_invalid', 'An entity id has no spaces.'))
    }
    return { settings: settled, faults }
  },

  arrivalOf(settings, claims) {
    const names = settings as SamlSettings
    const first = (own: string | null, usual: readonly string[]) =>
      (own === null ? usual : [own])
        .map((name) => textOf(claims, name))
        .find((value) => value !== undefined && value !== '')
    const nameId = textOf(claims, 'name_id')
    const isAddress = claims.name_id_format === emailFormat
    const subject = names.subject_claim === null ? nameId : textOf(claims, names.subject_claim)
    const instant = Date.parse(textOf(claims, 'authn_instant') ?? '')
    const methods = Object.hasOwn(claims, entraMethods) ? [claims[entraMethods]].flat() : []
    return {
      subject: subject === undefined || subject.length > 255 ? '' : subject,
      email: first(names.email_claim, usualNames.email) ?? (isAddress ? nameId : undefined),
      email_verified: names.emails_verified,
      first_name: first(names.first_name_claim, usualNames.first),
      last_name: first(names.last_name_claim, usualNames.last),
      auth_time_ms: Number.isNaN(instant) ? undefined : instant,
      amr: methods.includes(entraMultiFactor) ? ['mfa'] : [],
      acr: textOf(claims, 'authn_context'),
      sid: undefined,
    }
  },

  claimNames: { email: 'email', amr: entraMethods, acr: 'authn_context', auth_time: 'authn_instant' },

  emailClaim(settings, claims) {
    const own = (settings as SamlSettings).email_claim
    const named = nameFor(claims, own, usualNames.email)
    return textOf(claims, named) === undefined && claims.name_id_format === emailFormat ? 'name_id' : named
  },

  explain(settings, claims, { subject, email, email_verified }) {
    const names = settings as SamlSettings
    const verified = email_verified ? 'addresses_verified' : 'addresses_unverified'
    return [
      {
        claim: names.subject_claim ?? 'name_id',
        notes: [{ code: subject === '' ? 'subject_missing' : 'subject' }],
      },
      ...(email === undefined ? [] : [{ claim: 'emails_verified', notes: [{ code: verified } as const] }]),
      { claim: nameFor(claims, names.first_name_claim, usualNames.first), notes: [{ code: 'first_name' }] },
      { claim: nameFor(claims, names.last_name_claim, usualNames.last), notes: [{ code: 'last_name' }] },
    ]
  },
}

function nameFor(claims: Claims, own: string | null, usual: readonly string[]): string {
  return own ?? usual.find((name) => textOf(claims, name) !== undefined) ?? usual[0] ?? ''
}

/** The value, or the first of several. */
function textOf(claims: Claims, name: string): string | undefined {
  const value = Object.hasOwn(claims, name) ? [claims[name]].flat()[0] : undefined
  return typeof value === 'string' ? value : undefined
}

function pemOf(text: string, index: number, faults: InputFault[]): string {
  const certificate = readCertificate(text)
  if (certificate instanceof X509Certificate) return certificate.toString()
  const detail =
    certificate === 'certificate_weak'
      ? 'The key of this certificate is too weak: RSA needs 2048 bits, and ECDSA a curve of NIST.'
      : 'This is not a certificate in PEM.'
  faults.push(memberFault('certificates', certificate, detail, index))
  return text
}

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/

export function urlFaults(member: string, text: string): InputFault[] {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined)
    return [memberFault(member, 'url_malformed', 'This is not a URL. It must begin with https://.')]
  const isSecure = url.protocol === 'https:' || (url.protocol === 'http:' && loopback.test(url.hostname))
  if (!isSecure) return [memberFault(member, 'url_scheme', 'The address must use https.')]
  if (url.username === '' && url.password === '' && url.hash === '') return []
  return [memberFault(member, 'url_malformed', 'The address has no user and no fragment.')]
}
