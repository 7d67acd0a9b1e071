import type { AnswerOf, Calls, QueryOf } from './operations.ts'
import type { CallOptions } from './options.ts'
import type { AuditCheckpoint, AuditRecord, EventPage } from './types.ts'

export type AuditFilter = Omit<QueryOf<'GET /audit'>, 'limit' | 'cursor'>
export type AuditPage = { records: AuditRecord[]; next: string | undefined }

export class Audit {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Yields every record that matches, from one consistent snapshot. */
  list(filter: AuditFilter = {}, options: CallOptions = {}): AsyncGenerator<AuditRecord, void, undefined> {
    return this.#calls.rows('GET /audit', { ...options, query: filter })
  }

  async page(query: QueryOf<'GET /audit'> = {}, options: CallOptions = {}): Promise<AuditPage> {
    const { rows, next } = await this.#calls.page('GET /audit', { ...options, query })
    return { records: rows, next }
  }

  /** Yields the records about one user. */
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

  /** Returns the end of the hash chain. Keep it elsewhere, to prove later that no record was removed. */
  checkpoint(options: CallOptions = {}): Promise<AuditCheckpoint> {
    return this.#calls.call('GET /audit/checkpoint', options)
  }
}

export class Events {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Returns the events after a cursor. With `wait`, waits up to that many seconds for the next event. */
  page(query: QueryOf<'GET /events'> = {}, options: CallOptions = {}): Promise<EventPage> {
    return this.#calls.call('GET /events', { ...options, query, patienceMs: (query.wait ?? 0) * 1000 })
  }

  /**
   * Follows the events after `after` without end, and yields pages with at least one event. Store `cursor` and `feed_id`
   * of each page together with your own data, and pass them as `after` and `feed_id` after a restart.
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

  /** Returns if the process responds. Not retried. */
  live(options: CallOptions = {}): Promise<AnswerOf<'GET /health/live'>> {
    return this.#calls.call('GET /health/live', { retries: 0, ...options })
  }

  /** Returns if the service can serve requests, and throws the reason if not. Not retried. */
  ready(options: CallOptions = {}): Promise<AnswerOf<'GET /health/ready'>> {
    return this.#calls.call('GET /health/ready', { retries: 0, ...options })
  }
}
