/** A clock that only the test advances. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dispatcher } from '../src/record/delivery/dispatcher.ts'
import type { Storage } from '../src/store/storage/storage.ts'
import { assertWithin } from './time-limit.ts'

export type StoppedClock = {
  (): number
  /** Advances the clock once everything is settled: the lease of a claim would end, and its message would be sent again. */
  pass(ms: number): Promise<void>
  /** Resolves when every dispatcher has stored the outcomes of what it claimed. */
  settled(): Promise<void>
  /** Starts a dispatcher that `pass` waits for, until it is stopped. */
  watch(storage: Storage, start: (watched: Storage) => Dispatcher): Dispatcher
}

export function stoppedClock(from = Date.UTC(2026, 10, 20)): StoppedClock {
  let now = from
  const watched = new Set<{ open: number }>()
  const isBusy = () => [...watched].some(({ open }) => open > 0)
  async function settled(): Promise<void> {
    for (const begun = performance.now(); isBusy(); await sleep(5)) assertWithin(30_000, begun, 'Settling the claims')
  }
  return Object.assign(() => now, {
    settled,
    async pass(ms: number) {
      await settled()
      now += ms
    },
    watch(storage: Storage, start: (watched: Storage) => Dispatcher) {
      const work = { open: 0 }
      const change: Storage['change'] = async (name, input, request) => {
        work.open++
        try {
          const created = await storage.change(name, input, request)
          const [{ outcomes }, { claimed }] = [input, created.result] as [
            { outcomes: unknown[] },
            { claimed: unknown[] },
          ]
          work.open += claimed.length - outcomes.length
          return created
        } finally {
          work.open--
        }
      }
      watched.add(work)
      const dispatcher = start({ ...storage, change })
      return {
        async stop() {
          await dispatcher.stop()
          watched.delete(work)
        },
      }
    },
  })
}
