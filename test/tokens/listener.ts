/** Follows the revocations, or the events, as a service of the product does, over a real connection. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertWithin } from '../time-limit.ts'

export type Event = { event?: string; id?: string; data?: string; at: number }

type Listening = {
  status: number
  headers: Headers
  /** Every event so far. */
  events: Event[]
  /** The ids of revoked subjects, in the order received. */
  revoked(): string[]
  until(what: string, holds: () => boolean, longestMs?: number): Promise<void>
  /** Resolves when the other side ends the response; rejects when it aborts it. */
  whenEnded: Promise<void>
  close(): void
}

type Options = { headers?: Record<string, string>; after?: number; path?: string }

export async function follow(
  base: string,
  key: string | null,
  { headers = {}, after, path = '/revocations' }: Options = {},
): Promise<Listening> {
  const leaving = new AbortController()
  const url = `${base}${path}${after === undefined ? '' : `?after=${after}`}`
  const response = await fetch(url, {
    headers: { ...(key !== null && { 'x-api-key': key }), accept: 'text/event-stream', ...headers },
    signal: leaving.signal,
  })
  const events: Event[] = []
  const whenEnded = response.status === 200 ? read(response, events) : response.text().then(() => {})
  let isOver = false
  whenEnded
    .catch(() => {}) // Tests that need the error wait for it.
    .finally(() => {
      isOver = true
    })
  return {
    status: response.status,
    headers: response.headers,
    events,
    revoked: () => events.flatMap(({ event, data }) => (event === 'revoked' ? [JSON.parse(data ?? '').id] : [])),
    async until(what, holds, longestMs = 10_000) {
      const begun = performance.now()
      while (!holds()) {
        assert.ok(!isOver, `${what}: the response of status ${response.status} has ended`)
        assertWithin(longestMs, begun, what)
        await sleep(5)
      }
    },
    whenEnded,
    close: () => leaving.abort(),
  }
}

async function read(response: Response, events: Event[]): Promise<void> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    rest += decoder.decode(chunk, { stream: true })
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = block.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)])
      events.push({ ...Object.fromEntries(fields), at: performance.now() })
    }
  }
}
