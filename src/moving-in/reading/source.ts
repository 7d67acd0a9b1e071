import type { AttributeValues } from '../../directory/attributes/schema.ts'

/** A row for `POST /users/import`. */
export type ImportRow = {
  user_id?: string
  username: string
  email?: string
  external_id?: string
  first_name?: string
  last_name?: string
  role?: string
  /** The id of the organization in the source; the id here when it is sent. */
  organization?: string
  active?: boolean
  attributes?: AttributeValues
  /** Plain text: only a mapped CSV file has such a column. */
  password?: string
  /** A hash of another system, in a form that docs/migrate/password-hashes.md lists. */
  password_hash?: string
  /** One-time codes, in the form that Rollbook verifies. */
  factors?: { kind: 'totp'; secret: string; name?: string }[]
  /** Only together with one of the two. */
  must_change_password?: boolean
  created_at?: string
  last_login_at?: string
}

/**
 * Something that cannot be carried over unchanged. `what` and `why` are the same text for every user in the same situation,
 * so that they can be counted; `of` is the user's id in the source.
 */
export type LeftOut = { what: string; why: string; of?: string }

/** `line`: where the user starts in the file. */
export type Converted = { row: ImportRow; line?: number } | { leftOut: LeftOut }

export type SourceOrganization = {
  id: string
  name: string
  /** A short name that is unique in the source. */
  alias?: string
  active: boolean
  needsSecondFactor: boolean
  domains: { domain: string; isVerified: boolean }[]
}

export type Membership = {
  /** The id of the organization in the source. */
  organization: string
  /** By the names that a role map uses. */
  roles: readonly string[]
  /** The source says that this organization manages the user. */
  isHome?: boolean
}

export type OrganizationFound =
  | { organization: Pick<SourceOrganization, 'id'> & Partial<Omit<SourceOrganization, 'id' | 'domains'>> }
  | { domain: { organization: string; domain: string; isVerified: boolean } }
  | { membership: Membership & { user: string } }
  | { leftOut: LeftOut }

export type Memberships = {
  organizations: ReadonlyMap<string, SourceOrganization>
  leftOut: readonly LeftOut[]
  /** Those of a user, in the order of the export. */
  of(user: string): Membership[]
  close(): void
}

export type SourceOptions = {
  /** The current time, to judge temporary bans. */
  now: Date
  /** Role or group of the source → our role. If a user has several, the first in this order counts. */
  roleMap?: Readonly<Record<string, string>>
  /** UUIDs of the source become `user_id`; otherwise every id becomes `external_id`. */
  keepIds?: boolean
  /** Addresses that the source marks as not verified: kept and reported (the default), or left out. */
  unverifiedEmails?: 'keep' | 'leave-out'
  /** Auth0: the separate export of password hashes. */
  passwords?: AsyncIterable<Uint8Array>
  /** The organizations of the source, and who is in them. */
  memberships?: Pick<Memberships, 'organizations' | 'of'>
  /** Firebase: the password hash parameters, as the console shows them or as JSON. */
  hashConfig?: string
  /** CSV and JSON: the mapping, as JSON. */
  mapping?: string
  /** Passwords in plain text, of Keycloak and LDIF: left out by default; hashed by the server at the import. */
  clearPasswords?: 'leave-out' | 'hash'
}

export type Source = {
  title: string
  /**
   * Reads rows on demand, with constant memory.
   *
   * @throws OperatorError if the input is not an export of this source; the message says what was expected
   */
  read(input: AsyncIterable<Uint8Array>, options: SourceOptions): AsyncIterable<Converted>
  /** If it has organizations: whether the export of the users contains them, a file of their own, or either of them. */
  organizations?: {
    areIn: 'export' | 'file' | 'either'
    read(input: AsyncIterable<Uint8Array>): AsyncIterable<OrganizationFound>
  }
}
