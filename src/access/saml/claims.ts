/** An assertion in the names that the rest of the service knows from ID tokens, so that one set of rules judges both. */
import type { Judged } from './judge.ts'

export type ClaimNames = {
  /** Undefined: the NameID. */
  subject_attribute: string | null
  email_attribute: string | null
  first_name_attribute: string | null
  last_name_attribute: string | null
}

const claimsOfXmlsoap = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'
const emailFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
const entraMethods = 'http://schemas.microsoft.com/claims/authnmethodsreferences'
const entraMultiFactor = 'http://schemas.microsoft.com/claims/multipleauthn'

/** What providers call them if they are not told otherwise. */
const usualNames = {
  email: ['email', 'mail', 'Email', `${claimsOfXmlsoap}/emailaddress`, 'urn:oid:0.9.2342.19200300.100.1.3'],
  given_name: [
    'given_name',
    'givenName',
    'firstName',
    'FirstName',
    'first_name',
    `${claimsOfXmlsoap}/givenname`,
    'urn:oid:2.5.4.42',
  ],
  family_name: [
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

/** No attribute may stand for what the assertion itself says. */
const reserved = 'sub email email_verified given_name family_name xms_edov hd acr amr auth_time __proto__'.split(' ')

export function claimsOf(judged: Judged, names: ClaimNames, isEmailVerified: boolean): Record<string, unknown> {
  const { attributes, subject, authnContext, authnInstantMs } = judged
  const values = [...attributes].filter(([name]) => !reserved.includes(name))
  const first = (own: string | null, usual: readonly string[]) =>
    (own === null ? usual : [own])
      .map((name) => attributes.get(name)?.[0])
      .find((value) => value !== undefined && value !== '')
  const email =
    first(names.email_attribute, usualNames.email) ?? (subject.format === emailFormat ? subject.nameId : undefined)
  const given_name = first(names.first_name_attribute, usualNames.given_name)
  const family_name = first(names.last_name_attribute, usualNames.family_name)
  const sub = names.subject_attribute === null ? subject.nameId : attributes.get(names.subject_attribute)?.[0]
  return {
    ...Object.fromEntries(values.map(([name, all]) => [name, all.length === 1 ? all[0] : all])),
    ...(sub !== undefined && { sub }),
    ...(email !== undefined && { email, email_verified: isEmailVerified }),
    ...(given_name !== undefined && { given_name }),
    ...(family_name !== undefined && { family_name }),
    ...(authnContext !== '' && { acr: authnContext }),
    ...(attributes.get(entraMethods)?.includes(entraMultiFactor) && { amr: ['mfa'] }),
    auth_time: Math.floor(authnInstantMs / 1000),
  }
}
