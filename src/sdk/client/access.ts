import { type Calls, type QueryOf, refusePaging } from './operations.ts'
import type { CallOptions } from './options.ts'
import type { AccessSource } from './types.ts'
import type { AttributeFilters } from './users.ts'

export type AccessFilter = QueryOf<'GET /access'> & AttributeFilters

/** Who has which permissions, and why. */
export class Access {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Yields a row for each user and each source of permissions, from one consistent snapshot and with one row in memory at a time.
   * Throws `IncompleteStreamError` if the stream is cut off. Leaving the loop ends the request.
   *
   * ```ts
   * await client.users.create({ username: 'root.two', role: 'admin' })
   * for await (const { username, source, permissions } of client.access.list({ q: 'root.two' })) {
   *   console.log(username, source, permissions) // root.two role [ '*' ]
   * }
   * ```
   */
  list(filter: AccessFilter = {}, options: CallOptions = {}): AsyncGenerator<AccessSource, void, undefined> {
    refusePaging(filter)
    return this.#calls.rows('GET /access', { ...options, query: filter })
  }
}
