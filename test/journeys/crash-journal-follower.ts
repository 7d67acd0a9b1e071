/** Follows the change feed and keeps a copy of the directory, while the service is killed repeatedly. */
import assert from 'node:assert/strict'
import type { CloudEvent } from '../../src/record/events/envelope.ts'
import type { Service } from '../durability/process.ts'

type Data = Record<string, unknown>
type Page = { feed_id: string; cursor: string; events: CloudEvent[] }

export class Follower {
  readonly users = new Map<string, Data>()
  readonly sessions = new Map<string, Data>()
  readonly keys = new Map<string, Data>()
  readonly roles = new Map<string, Data>()
  /** Types of the events that one audit record came with, by its id. */
  readonly told = new Map<string, string[]>()
  /** Every event, in order. */
  readonly ids: string[] = []
  #cursor: string | undefined
  #feedId: string | undefined

  /** Reads until there is nothing more. */
  async catchUp(service: Service): Promise<void> {
    while ((await this.#next(service, 0)) > 0);
  }

  /** Continues until the service is gone. */
  async followUntilKilled(service: Service): Promise<void> {
    for (;;) {
      try {
        await this.#next(service, 5)
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
        return
      }
    }
  }

  async #next(service: Service, wait: number): Promise<number> {
    const query = new URLSearchParams({ limit: '1000', wait: String(wait) })
    if (this.#cursor !== undefined) query.set('after', this.#cursor)
    const response = await service.call('GET', `/events?${query}`)
    const page = (await response.json()) as Page
    assert.equal(response.status, 200, JSON.stringify(page))
    this.#feedId ??= page.feed_id
    assert.equal(page.feed_id, this.#feedId)
    for (const event of page.events) this.#take(event)
    this.#cursor = page.cursor
    return page.events.length
  }

  #take(event: CloudEvent): void {
    this.ids.push(event.id)
    // No event is withdrawn, repeated, or followed by an earlier one.
    assert.equal(Number(event.sequence), this.ids.length)
    const record = event.id.slice(0, event.id.lastIndexOf('.'))
    const types = this.told.get(record) ?? []
    types.push(event.type)
    this.told.set(record, types)
    this.#apply(event)
  }

  #apply({ type, subject, data }: CloudEvent): void {
    const [noun = '', verb = ''] = type.split('.')
    const things = { user: this.users, session: this.sessions, key: this.keys, role: this.roles }[noun]
    assert.ok(things, type)
    const isNew = verb === 'created' || verb === 'restored'
    assert.equal(things.has(subject), !isNew, `${type} ${subject}`)
    if (['ended', 'deleted', 'revoked', 'erased'].includes(verb)) things.delete(subject)
    else things.set(subject, data)
  }
}
