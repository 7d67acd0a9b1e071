/** Requests that found nothing new and wait for a wanted event. */
import { refuseCrowd } from '../../http/live/listening.ts'
import type { SharedReader } from '../../http/live/shared-reader.ts'
import type { Lifecycle } from '../../http/server/lifecycle.ts'
import type { EventRow } from '../journal/service.ts'
import { isWanted } from './types.ts'

/** How often to check whether the service is stopping. */
const lookMs = 250

type Waiter = {
  actorId: string
  /** Only these types; null: all. */
  types: readonly string[] | null
  longestMs: number
  signal: AbortSignal
}
type Waiting = Pick<Waiter, 'actorId' | 'types'> & { after: number; wake(hasNews: boolean): void }

/** Nothing up to the number `passed` is wanted. Without news the time is over. */
export type Heard = { hasNews: boolean; passed: number }

export type Wait = {
  /** Resolves when there may be a wanted event after this number, or when the time is over. */
  forNews(after: number): Promise<Heard>
  end(): void
}

type WaitingRoom = {
  /** @throws AppError `overloaded` */
  enter(waiter: Waiter): Wait
  close(): void
}

type Parts = { reader: SharedReader<EventRow>; lifecycle: Lifecycle }

export function createWaitingRoom({ reader, lifecycle }: Parts): WaitingRoom {
  const present = new Set<Waiting>()
  let isClosed = false

  const wakeAll = (hasNews: boolean) => {
    for (const one of present) one.wake(hasNews)
  }
  const all = {
    /** Called for each change, so it costs next to nothing if the event is not wanted. */
    onRows(rows: readonly EventRow[]) {
      const newest = new Map(rows.map(({ type, seq }) => [type, seq]))
      for (const one of present) {
        for (const [type, seq] of newest) if (seq > one.after && isWanted(one.types, type)) one.wake(true)
      }
    },
    // They ask again and learn that their cursor is unknown.
    lose: () => wakeAll(true),
  }
  const looking = setInterval(() => lifecycle.stage === 'draining' && wakeAll(false), lookMs).unref()

  function enter({ actorId, types, longestMs, signal }: Waiter): Wait {
    refuseCrowd(
      [...present],
      actorId,
      'Too many requests are already waiting for events. Repeat the request without `wait`.',
    )
    const one: Waiting = { actorId, types, after: Number.POSITIVE_INFINITY, wake() {} }
    let isOver = signal.aborted
    const stop = () => {
      isOver = true
      one.wake(false)
    }
    present.add(one)
    signal.addEventListener('abort', stop)
    const timer = setTimeout(stop, longestMs)
    return {
      async forNews(after) {
        if (isOver || isClosed || lifecycle.stage === 'draining') return { hasNews: false, passed: after }
        const cursor = reader.cursor()
        // The others were notified of what came between reading and waiting.
        if (cursor !== undefined && cursor > after) return { hasNews: true, passed: after }
        const { promise, resolve } = Promise.withResolvers<Heard>()
        one.after = after
        one.wake = (hasNews) => resolve({ hasNews, passed: hasNews ? after : Math.max(after, reader.cursor() ?? 0) })
        reader.attach(all, after)
        // Events committed while there were no followers are not announced again.
        if (cursor === undefined) void reader.readNews()
        return promise
      },
      end() {
        clearTimeout(timer)
        signal.removeEventListener('abort', stop)
        present.delete(one)
        if (present.size === 0) reader.detach(all)
      },
    }
  }

  return {
    enter,
    close() {
      isClosed = true
      clearInterval(looking)
      wakeAll(false)
    },
  }
}
