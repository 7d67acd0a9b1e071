/** A row as `POST /users/import` takes it. */
export type ImportRow = {
  user_id?: string
  username: string
  email?: string
  external_id?: string
  first_name?: string
  last_name?: string
  role?: string
  active?: boolean
  /** In clear: only a mapped CSV file has such a thing. */
  password?: string
  /** A hash of elsewhere, in a form that docs/import-hashes.md lists. */
  password_hash?: string
  /** Only together with one of the two. */
  must_change_password?: boolean
  created_at?: string
  last_login_at?: string
}

/**
 * What does not arrive as it was. `what` and `why` are the same words for everybody whom the same befell, so that they
 * can be counted; `of` is the id that the user has in the source.
 */
export type LeftOut = { what: string; why: string; of?: string }

/** `line`: where the user begins in the file. */
export type Converted = { row: ImportRow; line?: number } | { leftOut: LeftOut }

export const sourceNames = [
  'keycloak',
  'auth0',
  'supabase',
  'kratos',
  'firebase',
  'django',
  'lldap',
  'pocketbase',
  'csv',
] as const
export type SourceName = (typeof sourceNames)[number]

export type SourceOptions = {
  /** Judges a ban that ends some day. */
  now: Date
  /** Role or group of the source → our role. Of several that a user has, the first in this order counts. */
  roleMap?: Readonly<Record<string, string>>
  /** The source's ids become `user_id` when they are UUIDs; without it every id becomes `external_id`. */
  keepIds?: boolean
  /** Addresses that the source says are not verified: kept and reported (the default), or left out. */
  unverifiedEmails?: 'keep' | 'leave-out'
  /** Auth0: the export of password hashes, which is a file of its own. */
  passwords?: AsyncIterable<Uint8Array>
  /** Firebase: the text of its password hash parameters, as the console shows them or as JSON. */
  hashConfig?: string
  /** CSV: the text of the mapping, JSON. */
  mapping?: string
}

export type Source = {
  title: string
  /**
   * Reads as it is asked for rows, and holds little however long the input is.
   *
   * @throws OperatorError when the input is not what this source exports; it says what was expected.
   */
  read(input: AsyncIterable<Uint8Array>, options: SourceOptions): AsyncIterable<Converted>
}
