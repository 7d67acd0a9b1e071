/** LDAP and Active Directory: its settings, and what an entry means. The protocol is in access/providers/ldap. */
import { X509Certificate } from 'node:crypto'
import { type InputFault, memberFault } from '../../../../core/errors.ts'
import type { Explained, Kind, KindSettings } from './kind.ts'
import { readServer } from './ldap-server.ts'
import { activeDirectoryDefaults, type LdapSettings, ldapDefaults, placeholder } from './ldap-settings.ts'

export const ldapPresets = ['openldap', 'active_directory'] as const

const attribute = { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9-]{0,63}$' } as const
const name = { minLength: 1, maxLength: 1024 } as const
const distinguishedName = { type: 'string', ...name } as const

export const ldapMembers = {
  servers: {
    type: 'array',
    minItems: 1,
    maxItems: 10,
    uniqueItems: true,
    items: { type: 'string', minLength: 1, maxLength: 512 },
    description:
      'LDAP: the servers, in the order in which they are tried. `ldaps://`, or `ldap://` with `start_tls`; without TLS only on this machine.',
    examples: [['ldaps://dc1.corp.example.com', 'ldaps://dc2.corp.example.com']],
  },
  start_tls: {
    type: 'boolean',
    description: 'LDAP: TLS begins with StartTLS, before anything else is sent. For servers with `ldap://`.',
  },
  ca_certificate: {
    type: ['string', 'null'],
    minLength: 1,
    maxLength: 65_536,
    description:
      "LDAP: the certificates of the authorities that are trusted, as PEM, in place of the system's. For a directory with an authority of its own.",
  },
  bind_dn: {
    type: ['string', 'null'],
    ...name,
    description:
      'LDAP: binds with `bind_password` to search. It only needs to read. Null: the user binds by `user_bind_name`, or the search is anonymous.',
    examples: ['cn=rollbook,ou=services,dc=example,dc=com'],
  },
  user_bind_name: {
    type: ['string', 'null'],
    ...name,
    description:
      'LDAP: the name with which a user binds to search, if there is no `bind_dn`: a distinguished name with `{username}`, or for Active Directory `{username}@corp.example.com`.',
    examples: ['uid={username},ou=people,dc=example,dc=com'],
  },
  user_base: {
    ...distinguishedName,
    description: 'LDAP: where users are searched, with everything below.',
    examples: ['ou=people,dc=example,dc=com'],
  },
  user_filter: {
    type: 'string',
    ...name,
    description:
      'LDAP: the filter (RFC 4515) that finds a user, with `{username}`, which is escaped. Exactly one entry must match. Default: by the preset.',
    examples: ['(&(objectClass=inetOrgPerson)(uid={username}))'],
  },
  subject_attribute: {
    ...attribute,
    description:
      'LDAP: identifies the account, with the connection. It must not change when a user is renamed, and never belong to another one later. Default: `entryUUID`, for Active Directory `objectGUID`.',
    examples: ['entryUUID'],
  },
  email_attribute: { ...attribute, description: 'LDAP: the email address.', examples: ['mail'] },
  first_name_attribute: { ...attribute, description: 'LDAP: the first name.', examples: ['givenName'] },
  last_name_attribute: { ...attribute, description: 'LDAP: the last name.', examples: ['sn'] },
  username_attribute: {
    ...attribute,
    description: 'LDAP: the claim `preferred_username`, and what `memberUid` of a group means.',
    examples: ['uid'],
  },
  read_attributes: {
    type: 'array',
    maxItems: 50,
    uniqueItems: true,
    items: attribute,
    description: 'LDAP: further attributes, which become claims with the same name.',
    examples: [['departmentNumber']],
  },
  emails_verified: {
    type: 'boolean',
    description:
      'LDAP: addresses of the directory count as verified. True only if people cannot change their own address there.',
  },
  group_source: {
    type: 'string',
    enum: ['member', 'member_of', 'token_groups', 'none'],
    description:
      'LDAP: how groups are found. `member`: groups that name the user, and groups that name those, ten levels deep. `member_of`: the same, beginning with `memberOf` of the user. `token_groups`: Active Directory, with all nested groups and the primary one. They become the claims `groups` (names) and `group_dns`.',
  },
  group_base: {
    type: ['string', 'null'],
    ...name,
    description:
      'LDAP: where groups are searched. Groups elsewhere do not count, or a group of the same name would grant rights. Null: `user_base`.',
    examples: ['ou=groups,dc=example,dc=com'],
  },
  group_filter: {
    type: 'string',
    ...name,
    description: 'LDAP: the filter that a group must match. Default: by the preset.',
    examples: ['(objectClass=groupOfNames)'],
  },
  group_member_attribute: {
    ...attribute,
    description: 'LDAP: the attribute of a group that names its members: `member`, `uniqueMember` or `memberUid`.',
    examples: ['member'],
  },
  sync_hours: {
    type: ['integer', 'null'],
    minimum: 1,
    maximum: 720,
    description:
      'LDAP: the number of hours between synchronizations of users. Null: only `POST /connections/{connection_id}/sync` synchronizes.',
    examples: [24],
  },
} as const

type Stored = LdapSettings & { preset: (typeof ldapPresets)[number]; emails_verified: boolean }

function ldapSettingsOf(settings: KindSettings): LdapSettings {
  return settings as unknown as LdapSettings
}

const { servers: _, user_base: __, ...optional } = ldapDefaults
/** The defaults of the presets. */
const byPreset = Object.keys(activeDirectoryDefaults)

export const ldap: Kind = {
  name: 'ldap',
  title: 'LDAP and Active Directory',
  presets: ldapPresets,
  way: 'password',
  returnsByPost: false,
  prepares: true,
  members: Object.keys(ldapMembers),
  secrets: ['bind_password'],
  initial: {
    ...Object.fromEntries(Object.entries(optional).filter(([member]) => !byPreset.includes(member))),
    emails_verified: false,
    sync_hours: null,
  },
  // Another base or filter finds other entries, which keep their own subjects.
  identifying: ['servers', 'subject_attribute'],
  destinations: ['servers'],
  addresses: () => ({}),

  normalize(settings) {
    const defaults =
      settings.preset === 'active_directory' ? { ...ldapDefaults, ...activeDirectoryDefaults } : ldapDefaults
    const presets = Object.fromEntries(byPreset.map((member) => [member, defaults[member as keyof LdapSettings]]))
    const settled = { ...presets, ...settings } as unknown as Partial<Stored>
    const faults = [...serverFaults(settled), ...templateFaults(settled), ...certificateFaults(settled)]
    return { settings: settled as KindSettings, faults }
  },

  hasDirectoryTimes: true,

  arrivalOf(settings, claims) {
    const { sub, email, given_name, family_name, auth_time } = claims
    return {
      subject: typeof sub === 'string' ? sub : '',
      email,
      email_verified: (settings as unknown as Stored).emails_verified && typeof email === 'string',
      first_name: given_name,
      last_name: family_name,
      auth_time_ms: typeof auth_time === 'number' ? auth_time * 1000 : undefined,
      amr: [],
      acr: undefined,
      sid: undefined,
    }
  },

  claimNames: { email: 'email', amr: '', acr: '', auth_time: '' },

  explain(settings, _claims, { subject, email_verified }) {
    const { subject_attribute, group_source } = ldapSettingsOf(settings)
    const isMissing = subject === ''
    const groupClaims: Explained[] = [
      { claim: 'groups', notes: [{ code: 'group_names' }] },
      { claim: 'group_dns', notes: [{ code: 'group_dns' }] },
    ]
    return [
      {
        claim: 'sub',
        notes: [
          { code: isMissing ? 'subject_missing' : 'subject' },
          { code: 'subject_attribute', name: subject_attribute },
        ],
      },
      { claim: 'email_verified', notes: [{ code: email_verified ? 'addresses_verified' : 'addresses_unverified' }] },
      { claim: 'given_name', notes: [{ code: 'first_name' }] },
      { claim: 'family_name', notes: [{ code: 'last_name' }] },
      { claim: 'preferred_username', notes: [{ code: 'username_ignored' }] },
      ...(group_source === 'none' ? [] : groupClaims),
    ]
  },
}

function serverFaults({ servers = [], start_tls = false }: Partial<Stored>): InputFault[] {
  return servers.flatMap((text, index) => {
    const read = readServer(text, start_tls)
    return 'code' in read ? [memberFault('servers', read.code, read.detail, index)] : []
  })
}

function templateFaults(settings: Partial<Stored>): InputFault[] {
  const { user_filter = '', group_filter = '', user_bind_name = null, bind_dn = null } = settings
  const faults: InputFault[] = []
  const missing = `It must have ${placeholder}, in whose place the username is put.`
  if (!user_filter.includes(placeholder)) faults.push(memberFault('user_filter', 'placeholder_missing', missing))
  if (group_filter.includes(placeholder)) {
    faults.push(memberFault('group_filter', 'placeholder_unknown', 'Groups are not searched by a username.'))
  }
  if (user_bind_name !== null && !user_bind_name.includes(placeholder)) {
    faults.push(memberFault('user_bind_name', 'placeholder_missing', missing))
  }
  if (user_bind_name !== null && bind_dn !== null) {
    faults.push(
      memberFault('user_bind_name', 'not_both', 'It is for connections without bind_dn. Set one of them to null.'),
    )
  }
  return faults
}

function certificateFaults({ ca_certificate = null }: Partial<Stored>): InputFault[] {
  if (ca_certificate === null) return []
  const certificates = ca_certificate.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  const fault = (detail: string) => [memberFault('ca_certificate', 'certificate_invalid', detail)]
  if (ca_certificate.includes('PRIVATE KEY'))
    return fault('This is a private key. Send the certificate of the authority.')
  if (certificates.length === 0)
    return fault('This is not a certificate in PEM, which begins with -----BEGIN CERTIFICATE-----.')
  return certificates.every(isCertificate) ? [] : fault('One of these certificates cannot be read.')
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined
  } catch {
    return false
  }
}
