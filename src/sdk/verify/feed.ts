/**
 * Follows Rollbook's revocation feed and knows whether it is complete. The feed confirms that four times a second; after
 * one second without it, earlier responses can no longer be trusted.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { eventReader, type ServerEvent } from './event-stream.ts'
import type { Issuer } from './issuer.ts'
import type { Revocation, Revoked } from './revoked.ts'

export type Feed = {
  /** Whether every revocation that is older than one second has arrived. */
  isCurrent(): boolean
  close(): void
}

export type FeedOptions = {
  issuer: Issuer
  revoked: Revoked
  onRevoked(revocation: Revocation): void
  onTrouble(error: Error): void
}

const trustMs = 1000
/** A connection without data for this long is dead, even if TCP has not noticed. */
const silenceMs = 2500
const [firstPauseMs, longestPauseMs] = [100, 5000]

export function followRevocations({ issuer, revoked, onRevoked, onTrouble }: FeedOptions): Feed {
  const stop = new AbortController()
  let trustedUntil = Number.NEGATIVE_INFINITY
  /** The number of the last revocation that arrived. */
  let cursor: number | undefined
  let failures = 0

  function applyEvent({ type, data }: ServerEvent): void {
    if (type === 'revoked') {
      const revocation = JSON.parse(data) as Revocation & { seq: number }
      // Numbers restart after a restore, so earlier responses may come from another history.
      if (cursor !== undefined && revocation.seq <= cursor) revoked.distrust()
      revoked.add(revocation)
      onRevoked(revocation)
      cursor = revocation.seq
    } else if (type === 'current') {
      const state = JSON.parse(data) as { age_ms: number; cursor: number }
      if (cursor !== undefined && state.cursor < cursor) {
        cursor = undefined
        revoked.distrust()
        throw new Error('The numbering of the revocations restarted; reading them from the beginning.')
      }
      cursor = state.cursor
      failures = 0
      // The delay of the node itself counts towards the second.
      trustedUntil = performance.now() + trustMs - state.age_ms
    }
  }

  async function follow(): Promise<void> {
    const silent = new AbortController()
    const watchdog = setTimeout(() => silent.abort(new Error('The feed stopped sending.')), silenceMs)
    try {
      const response = await issuer.request('/revocations', {
        headers: { accept: 'text/event-stream', ...(cursor !== undefined && { 'last-event-id': String(cursor) }) },
        signal: AbortSignal.any([stop.signal, silent.signal]),
      })
      const decoder = new TextDecoder()
      const read = eventReader(applyEvent)
      for await (const chunk of response.body ?? []) {
        watchdog.refresh()
        read(decoder.decode(chunk, { stream: true }))
      }
      throw new Error('The feed ended.')
    } finally {
      clearTimeout(watchdog)
      trustedUntil = Number.NEGATIVE_INFINITY
    }
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        await follow()
      } catch (cause) {
        if (stop.signal.aborted) return
        if (failures === 0)
          onTrouble(new Error(`Cannot follow the revocations; retrying. ${reasonOf(cause)}`, { cause }))
      }
      const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** failures)
      failures += 1
      // Jitter keeps many main APIs apart. The timer must not keep the process alive.
      await sleep(pause * (0.5 + Math.random() / 2), undefined, { ref: false })
    }
  }

  void run()
  return {
    isCurrent: () => performance.now() < trustedUntil,
    close: () => stop.abort(),
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
