import { change, type Patch } from './change.ts'
import { IncompleteStreamError, RollbookError } from './errors.ts'
import type { ImportOptions, Imports } from './imports.ts'
import type { Calls, QueryOf } from './operations.ts'
import type { CallOptions, ChangeOptions, CreateOptions, WriteOptions } from './options.ts'
import type { Body, Streamed } from './transport.ts'
import type {
  BulkChange,
  BulkLine,
  ConfirmationOfDeletion,
  CreateUser,
  DeletedUser,
  ImportJob,
  Lock,
  PlannedExport,
  SetPassword,
  UpdateUser,
  User,
} from './types.ts'

/** Which users, and in which order. */
export type UserFilter = Omit<QueryOf<'GET /users'>, 'limit' | 'cursor' | 'offset' | 'count'>
export type ExportFilter = QueryOf<'POST /users/export'>
export type UserPage = {
  users: User[]
  next: string | undefined
  total: number | undefined
  /** The total was not counted: there are about so many. */
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
   * Every user, or every one that fits: one consistent view of all of them, in memory one at a time. A stream that is cut
   * throws `IncompleteStreamError`; leaving the loop ends the request.
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
    return this.#calls.rows('GET /users', { ...options, query: { ...filter, count: true } })
  }

  /**
   * The stream of `list` as bytes, in the format of `accept`: `application/json`, `application/x-ndjson` or `text/csv`.
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
   * One page of users. `next` is the `cursor` of the page after it.
   *
   * ```ts
   * const { users, next, total } = await client.users.page({ limit: 20, count: true })
   * const more = next === undefined ? [] : (await client.users.page({ limit: 20, cursor: next })).users
   * console.log(users.length + more.length <= (total ?? 0)) // true
   * ```
   *
   * For a scroll bar over all of them: any place of the order, and about how many there are.
   *
   * ```ts
   * const place = await client.users.page({ limit: 50, offset: 1, sort: 'username', count: 'estimate' })
   * console.log(place.users.length < (place.total ?? 0)) // true
   * ```
   */
  async page(query: QueryOf<'GET /users'> = {}, options: CallOptions = {}): Promise<UserPage> {
    const limited = { limit: 100, ...query }
    const { rows, next, total, estimated } = await this.#calls.page('GET /users', { ...options, query: limited })
    return { users: rows, next, total, estimated }
  }

  /** The user with this id; throws `user_not_found`. */
  get(user_id: string, options: CallOptions = {}): Promise<User> {
    return this.#calls.call('GET /users/{user_id}', { ...options, path: { user_id } })
  }

  /**
   * The user with this name, whatever its case.
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

  /** The user with this e-mail address, whatever its case. */
  byEmail(email: string, options: CallOptions = {}): Promise<User | undefined> {
    return this.#only({ email }, options)
  }

  /** The user with this external id, compared exactly. */
  byExternalId(external_id: string, options: CallOptions = {}): Promise<User | undefined> {
    return this.#only({ external_id }, options)
  }

  /**
   * Creates a user of the web UI. An account in the product's database is a step of its own.
   *
   * ```ts
   * const user = await client.users.create({ username: 'annie', role: 'user', first_name: 'Annie' })
   * console.log(user.active, user.has_password) // true false
   * const same = await client.users.create({ username: 'barbara' }, { dryRun: true })
   * console.log(await client.users.byUsername(same.username)) // undefined
   * ```
   */
  create(user: CreateUser, options: CreateOptions = {}): Promise<User> {
    return this.#calls.call('POST /users', { ...options, body: user })
  }

  /**
   * Changes what is given and leaves the rest.
   *
   * With a function as the change, the user is read first, and read again when somebody else came first. With a user
   * instead of the id, the change happens only if the user is still as you have it (`precondition_failed` otherwise).
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
  update(user: string | User, patch: Patch<User, UpdateUser>, options: ChangeOptions = {}): Promise<User> {
    const { ifMatch, dryRun, ...rest } = options
    const [user_id, seen] = typeof user === 'string' ? [user, undefined] : [user.user_id, user]
    return change(patch, {
      seen,
      ifMatch,
      read: () => this.get(user_id, rest),
      write: (body, expected) =>
        this.#calls.call('PATCH /users/{user_id}', { ...rest, dryRun, path: { user_id }, body, ifMatch: expected }),
    })
  }

  /**
   * Deletes a user. Until `restorable_until` `restore` brings the user back, unless it was with `purge`.
   *
   * ```ts
   * const { user_id } = await client.users.create({ username: 'leaving' })
   * const { restorable_until } = await client.users.delete(user_id)
   * console.log(restorable_until !== null) // true
   * console.log((await client.users.restore(user_id)).username) // leaving
   * ```
   */
  async delete(
    user_id: string,
    { purge, ...options }: ChangeOptions & { purge?: boolean | undefined } = {},
  ): Promise<ConfirmationOfDeletion> {
    try {
      return await this.#calls.call('DELETE /users/{user_id}', { ...options, path: { user_id }, query: { purge } })
    } catch (error) {
      if (!isGone(error, options)) throw error
      return { user_id, deleted: true, restorable_until: purge ? null : await this.#restorableUntil(user_id, options) }
    }
  }

  /** Brings a deleted user back: the same id, role and password. */
  restore(user_id: string, options: CreateOptions = {}): Promise<User> {
    return this.#calls.call('POST /users/{user_id}/restore', { ...options, path: { user_id } })
  }

  /** Sets a password, and ends the sessions of this user. */
  setPassword(user_id: string, body: SetPassword, options: CreateOptions & ChangeOptions = {}): Promise<User> {
    return this.#calls.call('POST /users/{user_id}/password', { ...options, path: { user_id }, body })
  }

  /** Whether too many wrong passwords keep this user from signing in. */
  lock(user_id: string, options: CallOptions = {}): Promise<Lock> {
    return this.#calls.call('GET /users/{user_id}/lock', { ...options, path: { user_id } })
  }

  unlock(user_id: string, options: WriteOptions = {}): Promise<Lock> {
    return this.#calls.call('DELETE /users/{user_id}/lock', { ...options, path: { user_id } })
  }

  /**
   * Imports users from NDJSON or CSV, whole or in parts. A row that cannot be used is rejected and keeps no other back.
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
   * One change for many users: of some ids, or of all who match a filter. Line by line it tells what becomes of each, and
   * with the last one the sums. A stream that is cut throws `IncompleteStreamError`: what is done stays done, and the same
   * again does the rest. Leaving the loop stops the work.
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
    change: BulkChange,
    { rows, ...options }: CreateOptions & QueryOf<'POST /users/bulk'> = {},
  ): AsyncGenerator<BulkLine, void, undefined> {
    let isWhole = false
    for await (const line of this.#calls.rows('POST /users/bulk', { ...options, query: { rows }, body: change })) {
      isWhole = line.type === 'end'
      yield line
    }
    // A proxy can end an answer early, and cleanly.
    if (!isWhole) throw new IncompleteStreamError('The response was cut off before the change ended.')
  }

  /** Users with the hashes of their passwords, encrypted with the passphrase: bytes for a file. */
  exportSealed(passphrase: string, filter: ExportFilter = {}, options: CallOptions = {}): Promise<Streamed> {
    const headers = { accept: 'application/octet-stream', ...options.headers }
    return this.#calls.open('POST /users/export', { ...options, headers, query: filter, body: { passphrase } })
  }

  /** What `exportSealed` would write. */
  planExport(passphrase: string, filter: ExportFilter = {}, options: CallOptions = {}): Promise<PlannedExport> {
    const dry = { ...options, dryRun: true }
    return this.#calls.call('POST /users/export', { ...dry, query: filter, body: { passphrase } })
  }

  async #only(query: QueryOf<'GET /users'>, options: CallOptions): Promise<User | undefined> {
    const { users } = await this.page({ ...query, limit: 1 }, options)
    return users[0]
  }

  /** The last to be deleted come first. */
  async #restorableUntil(user_id: string, options: CallOptions): Promise<string | null> {
    const deleted = this.#calls.pages('GET /deleted-users', options)
    for await (const user of deleted) if (user.user_id === user_id) return user.restorable_until
    return null
  }
}

/** A deletion that finds nothing after a try whose answer was lost: that one was it, unless nothing was to happen. */
export function isGone(error: unknown, { dryRun }: WriteOptions): boolean {
  return error instanceof RollbookError && error.status === 404 && error.mayHaveHappened && !dryRun
}

export class DeletedUsers {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Users who can be restored, the last to be deleted first. */
  list(options: CallOptions = {}): AsyncGenerator<DeletedUser, void, undefined> {
    return this.#calls.pages('GET /deleted-users', { ...options, query: { limit: 1000 } })
  }

  async page(
    query: QueryOf<'GET /deleted-users'> = {},
    options: CallOptions = {},
  ): Promise<{ users: DeletedUser[]; next: string | undefined }> {
    const { rows, next } = await this.#calls.page('GET /deleted-users', { ...options, query })
    return { users: rows, next }
  }
}
