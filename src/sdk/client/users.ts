import { change, type Patch, resourceOf, unlessGone } from './change.ts'
import { IncompleteStreamError } from './errors.ts'
import type { ImportOptions, Imports } from './imports.ts'
import { type Calls, type QueryOf, refusePaging } from './operations.ts'
import type { CallOptions, ChangeOptions, CreateOptions, UserChangeOptions, WriteOptions } from './options.ts'
import type { Body, Streamed } from './transport.ts'
import type {
  BulkChange,
  BulkLine,
  ConfirmationOfDeletion,
  ConfirmationOfWithdrawal,
  CreatedUser,
  CreateUser,
  DeletedUser,
  HandedLink,
  HandOutLink,
  Impersonate,
  ImportJob,
  Invitation,
  Lock,
  PlannedExport,
  Session,
  SetPassword,
  SignInState,
  UpdatedUser,
  UpdateUser,
  User,
} from './types.ts'

/** Which users, and in which order. */
/** Filters by custom attributes: `{ 'attributes.department': 'Sales' }`. */
export type AttributeFilters = { [name: `attributes.${string}`]: string | number | boolean | undefined }
export type UserFilter = Omit<QueryOf<'GET /users'>, 'limit' | 'cursor' | 'offset' | 'count'> & AttributeFilters
export type BulkFilter = NonNullable<BulkChange['filter']> & AttributeFilters
export type BulkRequest = Omit<BulkChange, 'filter'> & { filter?: BulkFilter | undefined }
export type DeletedUserFilter = Omit<QueryOf<'GET /deleted-users'>, 'limit' | 'cursor' | 'count'>
export type ExportFilter = QueryOf<'POST /users/export'> & AttributeFilters
export type ExportOptions = CallOptions & { factors?: boolean | undefined }
export type UserPage = {
  users: User[]
  next: string | undefined
  total: number | undefined
  /** Whether `total` is an estimate. */
  estimated: boolean
}

export class Users {
  readonly #calls: Calls
  readonly #imports: Imports

  constructor(calls: Calls, imports: Imports) {
    this.#calls = calls
    this.#imports = imports
  }

  /**
   * Yields every user that matches the filter, from one consistent snapshot and with one user in memory at a time. Throws
   * `IncompleteStreamError` if the stream is cut off. Leaving the loop ends the request.
   *
   * ```ts
   * await client.users.create({ username: 'ada' })
   * let count = 0
   * for await (const user of client.users.list({ active: true, sort: 'username' })) {
   *   if (user.username === 'ada') count += 1
   * }
   * console.log(count) // 1
   * ```
   */
  list(filter: UserFilter = {}, options: CallOptions = {}): AsyncGenerator<User, void, undefined> {
    refusePaging(filter)
    return this.#calls.rows('GET /users', { ...options, query: { ...filter, count: true } })
  }

  /**
   * Returns the stream of `list` as bytes, in the format `accept`: `application/json`, `application/x-ndjson`,
   * `text/csv` or `application/vnd.openxmlformats-officedocument.spreadsheetml.sheet` (Excel).
   *
   * ```ts
   * const { body } = await client.users.listRaw({ q: 'nobody at all' }, { accept: 'text/csv' })
   * for await (const chunk of body) console.log(new TextDecoder().decode(chunk).startsWith('user_id,username')) // true
   * ```
   */
  listRaw(
    query: QueryOf<'GET /users'> = {},
    { accept, ...options }: CallOptions & { accept?: string | undefined } = {},
  ): Promise<Streamed> {
    const headers = { ...options.headers, ...(accept !== undefined && { accept }) }
    return this.#calls.open('GET /users', { ...options, headers, query })
  }

  /**
   * Returns one page of users. `next` is the `cursor` of the following page.
   *
   * ```ts
   * const { users, next, total } = await client.users.page({ limit: 20, count: true })
   * const more = next === undefined ? [] : (await client.users.page({ limit: 20, cursor: next })).users
   * console.log(users.length + more.length <= (total ?? 0)) // true
   * ```
   *
   * `offset` and `count: 'estimate'` serve a scroll bar over all users: any position, and roughly how many users there are.
   *
   * ```ts
   * const place = await client.users.page({ limit: 50, offset: 1, sort: 'username', count: 'estimate' })
   * console.log(place.users.length < (place.total ?? 0)) // true
   * ```
   */
  async page(query: QueryOf<'GET /users'> & AttributeFilters = {}, options: CallOptions = {}): Promise<UserPage> {
    const limited = { limit: 100, ...query }
    const { rows, next, total, estimated } = await this.#calls.page('GET /users', { ...options, query: limited })
    return { users: rows, next, total, estimated }
  }

  /**
   * Returns up to three users whose names are spelt nearly as the text, the closest first: for "Did you mean …?" when a search
   * finds none.
   *
   * ```ts
   * await client.users.create({ username: 'kate', first_name: 'Catherine', last_name: 'Krüger' })
   * console.log((await client.users.closest('Cathrine Kruger')).map(({ username }) => username)) // [ 'kate' ]
   * ```
   */
  closest(q: string, options: CallOptions = {}): Promise<User[]> {
    return this.#calls.call('GET /users/closest', { ...options, query: { q } })
  }

  /** Returns the user with this id. Throws `user_not_found` if there is none. */
  get(user_id: string, options: CallOptions = {}): Promise<User> {
    return this.#calls.call('GET /users/{user_id}', { ...options, path: { user_id } })
  }

  /**
   * Returns the user with this username, in any case. Undefined if there is none.
   *
   * ```ts
   * await client.users.create({ username: 'mary', email: 'mary@example.com' })
   * console.log((await client.users.byUsername('MARY'))?.email) // mary@example.com
   * console.log(await client.users.byUsername('nobody')) // undefined
   * ```
   */
  byUsername(username: string, options: CallOptions = {}): Promise<User | undefined> {
    return this.#only({ username }, options)
  }

  /** Returns the user with this email address, in any case. Undefined if there is none. */
  byEmail(email: string, options: CallOptions = {}): Promise<User | undefined> {
    return this.#only({ email }, options)
  }

  /** Returns the user with exactly this external id. Undefined if there is none. */
  byExternalId(external_id: string, options: CallOptions = {}): Promise<User | undefined> {
    return this.#only({ external_id }, options)
  }

  /**
   * Creates a user of the web UI. It does not create an account in the product's own database.
   *
   * ```ts
   * const user = await client.users.create({ username: 'annie', role: 'user', first_name: 'Annie' })
   * console.log(user.active, user.has_password) // true false
   * const same = await client.users.create({ username: 'barbara' }, { dryRun: true })
   * console.log(await client.users.byUsername(same.username)) // undefined
   * ```
   */
  create(user: CreateUser, options: CreateOptions = {}): Promise<CreatedUser> {
    return this.#calls.call('POST /users', { ...options, body: user })
  }

  /**
   * Changes the given members and leaves the others.
   *
   * With a function as `patch`, the user is read first, and read again if another caller came first. With a user instead
   * of the id, the change is made only if the user is still as you read it; otherwise it throws `precondition_failed`.
   *
   * ```ts
   * const user = await client.users.create({ username: 'hedy' })
   * await client.users.update(user.user_id, { first_name: 'Hedy' })
   * await client.users.update(user.user_id, ({ first_name }) => ({ first_name: `${first_name} L.` }))
   * const read = await client.users.get(user.user_id)
   * const changed = await client.users.update(read, { email: 'hedy@example.com' })
   * console.log(changed.first_name) // Hedy L.
   * ```
   */
  update(user: string | User, patch: Patch<User, UpdateUser>, options: UserChangeOptions = {}): Promise<UpdatedUser> {
    const [user_id, seen] = resourceOf(user, 'user_id')
    return change<UpdatedUser, UpdateUser>(patch, options, {
      seen,
      read: (options) => this.get(user_id, options),
      write: (call) => this.#calls.call('PATCH /users/{user_id}', { ...call, path: { user_id } }),
    })
  }

  /**
   * Deletes a user. `restore` undoes that until `restorable_until`, unless `purge` is true.
   *
   * ```ts
   * const { user_id } = await client.users.create({ username: 'leaving' })
   * const { restorable_until } = await client.users.delete(user_id)
   * console.log(restorable_until !== null) // true
   * console.log((await client.users.restore(user_id)).username) // leaving
   * ```
   */
  delete(
    user_id: string,
    { purge, override, ...options }: UserChangeOptions & { purge?: boolean | undefined } = {},
  ): Promise<ConfirmationOfDeletion> {
    const query = { purge, override }
    const call = this.#calls.call('DELETE /users/{user_id}', { ...options, path: { user_id }, query })
    return unlessGone(call, options, async () => {
      const restorable_until = purge ? null : await this.#restorableUntil(user_id, options)
      return { user_id, deleted: true, restorable_until }
    })
  }

  /** Restores a deleted user with the same id, role and password. */
  restore(user_id: string, options: CreateOptions = {}): Promise<User> {
    return this.#calls.call('POST /users/{user_id}/restore', { ...options, path: { user_id } })
  }

  /** Sends a user a link with which they choose their first password, or returns it as `url`. */
  invite(
    user_id: string,
    body: HandOutLink = {},
    { override, ...options }: CreateOptions & Pick<UserChangeOptions, 'override'> = {},
  ): Promise<HandedLink> {
    const query = { override }
    return this.#calls.call('POST /users/{user_id}/invitation', { ...options, path: { user_id }, query, body })
  }

  /** Returns whether a user is invited, and until when the link works. */
  invitation(user_id: string, options: CallOptions = {}): Promise<Invitation> {
    return this.#calls.call('GET /users/{user_id}/invitation', { ...options, path: { user_id } })
  }

  withdrawInvitation(user_id: string, options: ChangeOptions = {}): Promise<ConfirmationOfWithdrawal> {
    return this.#calls.call('DELETE /users/{user_id}/invitation', { ...options, path: { user_id } })
  }

  /** Sends a user a link with which they set a new password, or returns it as `url`. */
  createPasswordReset(user_id: string, body: HandOutLink = {}, options: CreateOptions = {}): Promise<HandedLink> {
    return this.#calls.call('POST /users/{user_id}/password-reset', { ...options, path: { user_id }, body })
  }

  /** Sets the password of a user and ends all of the user's sessions. */
  setPassword(user_id: string, body: SetPassword, options: CreateOptions & ChangeOptions = {}): Promise<User> {
    return this.#calls.call('POST /users/{user_id}/password', { ...options, path: { user_id }, body })
  }

  /**
   * Signs the user of this session in as another user, for an hour at most: `sessions.endCurrent` returns to their own session.
   */
  impersonate(user_id: string, body: Impersonate, options: CreateOptions = {}): Promise<Session> {
    return this.#calls.call('POST /users/{user_id}/impersonation', { ...options, path: { user_id }, body })
  }

  /** Returns whether a user can sign in now, and if not, why, with a sentence for people. */
  signInState(user_id: string, options: CallOptions = {}): Promise<SignInState> {
    return this.#calls.call('GET /users/{user_id}/sign-in', { ...options, path: { user_id } })
  }

  /** Returns what keeps this user from signing in after wrong passwords. */
  lock(user_id: string, options: CallOptions = {}): Promise<Lock> {
    return this.#calls.call('GET /users/{user_id}/lock', { ...options, path: { user_id } })
  }

  unlock(user_id: string, options: WriteOptions = {}): Promise<Lock> {
    return this.#calls.call('DELETE /users/{user_id}/lock', { ...options, path: { user_id } })
  }

  /**
   * Imports users from NDJSON or CSV, in one request or in parts. A row with a fault is rejected; the others are imported.
   *
   * ```ts
   * const rows = ['{"username": "imported.1"}', '{"username": "imported 2"}'].join('\n')
   * const job = await client.users.import(rows, { contentType: 'application/x-ndjson' })
   * console.log(job.created, job.rejects[0]?.code) // 1 username_invalid
   * ```
   */
  import(body: Body, options: ImportOptions): Promise<ImportJob> {
    return this.#imports.send(body, options)
  }

  /**
   * Makes one change to many users: those with the given ids, or all who match a filter. Yields a line for each user, and
   * the totals last. Throws `IncompleteStreamError` if the stream is cut off: finished changes stay, and the same call
   * makes the others. Leaving the loop stops the work.
   *
   * ```ts
   * await client.users.create({ username: 'intern.1' })
   * await client.users.create({ username: 'intern.2' })
   * const change = { action: 'deactivate', filter: { q: 'intern' } } as const
   * for await (const line of client.users.bulk(change, { dryRun: true })) {
   *   if (line.type === 'end') console.log(line.changed, line.refused) // 2 0
   * }
   * for await (const line of client.users.bulk(change, { rows: 'refused' })) {
   *   if (line.type === 'row') console.log(`${line.username}: ${line.code}`)
   * }
   * console.log((await client.users.byUsername('intern.1'))?.active) // false
   * ```
   */
  async *bulk(
    change: BulkRequest,
    { rows, override, ...options }: CreateOptions & QueryOf<'POST /users/bulk'> = {},
  ): AsyncGenerator<BulkLine, void, undefined> {
    let isWhole = false
    for await (const line of this.#calls.rows('POST /users/bulk', {
      ...options,
      query: { rows, override },
      body: change,
    })) {
      isWhole = line.type === 'end'
      yield line
    }
    // A proxy can cut a response off without an error.
    if (!isWhole) throw new IncompleteStreamError('The response was cut off before the change ended.')
  }

  /**
   * Returns users with their password hashes and one-time codes as the bytes of a file, encrypted with the passphrase (format
   * age). `factors: false` leaves the codes out.
   */
  exportSealed(passphrase: string, filter: ExportFilter = {}, options: ExportOptions = {}): Promise<Streamed> {
    const { factors, ...others } = options
    const headers = { accept: 'application/octet-stream', ...options.headers }
    const body = { passphrase, ...(factors !== undefined && { factors }) }
    return this.#calls.open('POST /users/export', { ...others, headers, query: filter, body })
  }

  /** Returns how many users `exportSealed` would write. */
  planExport(passphrase: string, filter: ExportFilter = {}, options: CallOptions = {}): Promise<PlannedExport> {
    const dry = { ...options, dryRun: true }
    return this.#calls.call('POST /users/export', { ...dry, query: filter, body: { passphrase } })
  }

  async #only(query: QueryOf<'GET /users'>, options: CallOptions): Promise<User | undefined> {
    const { users } = await this.page({ ...query, limit: 1 }, options)
    return users[0]
  }

  /** Returns until when a user can be restored. The latest deletions come first, so the search is short. */
  async #restorableUntil(user_id: string, options: CallOptions): Promise<string | null> {
    const deleted = this.#calls.pages('GET /deleted-users', options)
    for await (const user of deleted) if (user.user_id === user_id) return user.restorable_until
    return null
  }
}

export class DeletedUsers {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Yields the users who can be restored, the latest deletion first unless sorted otherwise. */
  list(query: DeletedUserFilter = {}, options: CallOptions = {}): AsyncGenerator<DeletedUser, void, undefined> {
    return this.#calls.pages('GET /deleted-users', { ...options, query: { ...query, limit: 1000 } })
  }

  async page(
    query: QueryOf<'GET /deleted-users'> = {},
    options: CallOptions = {},
  ): Promise<{ users: DeletedUser[]; next: string | undefined; total: number | undefined }> {
    const { rows, next, total } = await this.#calls.page('GET /deleted-users', { ...options, query })
    return { users: rows, next, total }
  }
}
