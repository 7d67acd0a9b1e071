/** What a claim means for the sign-in, as codes: clients show them in the language of their user. Codes are never renamed or reused. */

/** In English, as the API returns them. `{name}`, `{count}` and `{total}` are members of the note. */
export const noteTexts = {
  subject: 'Identifies the account, with the connection.',
  subject_attribute: 'Read from the attribute {name} of the entry.',
  subject_missing: 'Missing, or not usable.',
  email_missing: 'Missing: without an address no user is linked or created.',
  email_malformed: 'Not a plain email address, so it is ignored.',
  domain_trusted: 'Domain {name}: trusted for linking.',
  domain_untrusted: 'Domain {name}: not trusted for linking.',
  domain_provisioned: 'Users are created for this domain.',
  domain_not_provisioned: 'No users are created for this domain.',
  address_verified: 'The provider states that the address is verified.',
  address_unverified: 'Not stated to be verified.',
  entra_email_verified: 'Does not count for Entra ID; xms_edov does.',
  addresses_verified: 'Addresses of this connection count as verified (emails_verified).',
  addresses_unverified:
    'Addresses of this connection do not count as verified: emails_verified is false, or there is no address.',
  names: 'The names of a new user.',
  first_name: 'The first name of a new user.',
  last_name: 'The last name of a new user.',
  login_ignored: 'Not used: logins change hands.',
  username_ignored: 'Ignored: the address becomes the username of a new user.',
  group_names: 'Names of groups, with groups in groups.',
  group_dns: 'The same groups by their distinguished names.',
  role_mapped: 'Gives the role {name}.',
  role_unmatched: 'Matches no role, so the default role applies: {name}.',
  role_missing: 'Missing, so the role stays as it is; a new user gets the default role. See missing_claims.',
  role_overage: 'Left out by the provider, because there is too much of it: the role stays as it is.',
  role_unreadable: 'No text, number or boolean, list of them, or object: the role stays as it is.',
  groups_missing: 'Missing, so the groups stay as they are. See missing_claims.',
  groups_overage: 'Left out by the provider, because there is too much of it: the groups stay as they are.',
  groups_unreadable: 'No text, number or boolean, list of them, or object: the groups stay as they are.',
  groups_mapped: 'Groups of the mapping that the user joins: {count} of {total}.',
  attribute_mapped: 'Sets the attribute {name}.',
  attribute_unmapped: 'Missing, or no plain value: the attribute {name} stays as it is.',
  expires_at_mapped: 'The access ends at {name}.',
  expires_at_never: 'The access does not end.',
  expires_at_missing: 'Missing, so the end date stays as it is. See missing_claims.',
  expires_at_overage: 'Left out by the provider, because there is too much of it: the end date stays as it is.',
  expires_at_unreadable: 'No date that can be read: the end date stays as it is.',
  factor: 'Counts as a second factor, or acr does.',
  no_factor: 'Does not count as a second factor.',
  acr_ignored: 'Not looked at.',
  acr_compared: 'Compared with acr_values.',
  auth_time: 'When the user signed in there.',
  auth_time_missing: 'Missing: the sign-in does not count as recent.',
} as const

type NoteCode = keyof typeof noteTexts
export type ClaimNote = { code: NoteCode; name?: string; count?: number; total?: number }
export type NoteTexts = Readonly<Record<NoteCode, string>>

export const noteCodes = Object.keys(noteTexts) as readonly NoteCode[]

/** Splits the text of a note at its values: texts have even places, values odd ones. */
export function noteParts(texts: NoteTexts, { code, ...values }: ClaimNote): string[] {
  return texts[code]
    .split(/\{(name|count|total)\}/)
    .map((part, i) => (i % 2 === 0 ? part : String(values[part as keyof typeof values])))
}

export function noteInEnglish(notes: readonly ClaimNote[]): string {
  return notes.map((note) => noteParts(noteTexts, note).join('')).join(' ')
}
