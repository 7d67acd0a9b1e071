import type { AnswerOf, Calls, QueryOf } from './operations.ts'
import type { CallOptions } from './options.ts'
import type { AuditCheckpoint, AuditRecord, EventPage } from './types.ts'

export type AuditFilter = Omit<QueryOf<'GET /audit'>, 'limit' | 'cursor'>
export type AuditPage = { records: AuditRecord[]; next: string | undefined }

/** Who did what. */
export class Audit {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Every record that fits, as `users.list` gives every user. */
  list(filter: AuditFilter = {}, options: CallOptions = {}): AsyncGenerator<AuditRecord, void, undefined> {
    return this.#calls.rows('GET /audit', { ...options, query: filter })
  }

  async page(query: QueryOf<'GET /audit'> = {}, options: CallOptions = {}): Promise<AuditPage> {
    const { rows, next } = await this.#calls.page('GET /audit', { ...options, query })
    return { records: rows, next }
  }

  /** What was done to one user. */
  listOf(
    user_id: string,
    filter: Omit<AuditFilter, 'target'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<AuditRecord, void, undefined> {
    return this.#calls.rows('GET /users/{user_id}/audit', { ...options, path: { user_id }, query: filter })
  }

  async pageOf(
    user_id: string,
    query: QueryOf<'GET /users/{user_id}/audit'> = {},
    options: CallOptions = {},
  ): Promise<AuditPage> {
    const { rows, next } = await this.#calls.page('GET /users/{user_id}/audit', {
      ...options,
      path: { user_id },
      query,
    })
    return { records: rows, next }
  }

  /** The end of the chain, to be kept somewhere else. */
  checkpoint(options: CallOptions = {}): Promise<AuditCheckpoint> {
    return this.#calls.call('GET /audit/checkpoint', options)
  }
}

/** Everything that happens, in its order. */
export class Events {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** The events after a cursor. With `wait`, the answer comes when there is one, or after so many seconds. */
  page(query: QueryOf<'GET /events'> = {}, options: CallOptions = {}): Promise<EventPage> {
    return this.#calls.call('GET /events', { ...options, query, patienceMs: (query.wait ?? 0) * 1000 })
  }

  /**
   * Follows what happens, from `after` on and without end: the pages that have news. Keep `cursor` and `feed_id` of each
   * with what you make of it, and go on from there after a stop.
   *
   * ```ts
   * await client.users.create({ username: 'followed' })
   * for await (const { events } of client.events.follow({ type: ['user.created'] })) {
   *   console.log(events.some(({ data }) => 'username' in data && data.username === 'followed')) // true
   *   break
   * }
   * ```
   */
  async *follow(
    query: QueryOf<'GET /events'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<EventPage, void, undefined> {
    let place: Pick<typeof query, 'after' | 'feed_id'> = {}
    for (;;) {
      const page = await this.page({ limit: 1000, wait: 25, ...query, ...place }, options)
      place = { after: page.cursor, feed_id: page.feed_id }
      if (page.events.length > 0) yield page
    }
  }
}

export class Health {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Whether the process answers. Asked once, as the next. */
  live(options: CallOptions = {}): Promise<AnswerOf<'GET /health/live'>> {
    return this.#calls.call('GET /health/live', { retries: 0, ...options })
  }

  /** Whether requests can be served; throws why not. */
  ready(options: CallOptions = {}): Promise<AnswerOf<'GET /health/ready'>> {
    return this.#calls.call('GET /health/ready', { retries: 0, ...options })
  }
}
