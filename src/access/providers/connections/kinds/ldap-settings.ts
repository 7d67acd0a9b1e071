/** The settings of a directory, in the form that directory.ts reads. */

/** In whose place a username is put. */
export const placeholder = '{username}'

type GroupSource = 'token_groups' | 'member_of' | 'member' | 'none'

export type LdapSettings = {
  /** In the order in which they are tried. */
  servers: string[]
  start_tls: boolean
  /** PEM; null: the authorities of the system. */
  ca_certificate: string | null
  /** The DN that binds before the search. Null: the user binds by `user_bind_name`, or the search is anonymous. */
  bind_dn: string | null
  /** With `{username}`, such as `{username}@corp.example.com`. */
  user_bind_name: string | null
  user_base: string
  /** With `{username}`. */
  user_filter: string
  subject_attribute: string
  email_attribute: string
  first_name_attribute: string
  last_name_attribute: string
  username_attribute: string
  /** Further attributes that a mapping reads, under their own names. */
  read_attributes: string[]
  /** The attribute with the end date, which every kind may have (../settings.ts). It is read as well. */
  expires_at_claim?: string | null
  group_source: GroupSource
  /** Where groups are searched; null: `user_base`. */
  group_base: string | null
  group_filter: string
  /** Names members: by distinguished name, or for `memberUid` by username. */
  group_member_attribute: string
}

type Preset = Partial<LdapSettings>

export const ldapDefaults: LdapSettings = {
  servers: [],
  start_tls: false,
  ca_certificate: null,
  bind_dn: null,
  user_bind_name: null,
  user_base: '',
  user_filter: '(&(objectClass=inetOrgPerson)(|(uid={username})(mail={username})))',
  subject_attribute: 'entryUUID',
  email_attribute: 'mail',
  first_name_attribute: 'givenName',
  last_name_attribute: 'sn',
  username_attribute: 'uid',
  read_attributes: [],
  group_source: 'member',
  group_base: null,
  group_filter: '(|(objectClass=groupOfNames)(objectClass=groupOfUniqueNames)(objectClass=posixGroup))',
  group_member_attribute: 'member',
}

/** Active Directory: accounts of people only, found by each of the three names that they know. */
export const activeDirectoryDefaults: Preset = {
  user_filter:
    '(&(sAMAccountType=805306368)(|(sAMAccountName={username})(userPrincipalName={username})(mail={username})))',
  subject_attribute: 'objectGUID',
  username_attribute: 'sAMAccountName',
  group_source: 'token_groups',
  group_filter: '(objectClass=group)',
}
