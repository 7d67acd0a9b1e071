/** Configuration in the store that requests read: cached for half a second, and read again at once after a change by this node. */
import type { Announcement } from './context.ts'
import type { Storage } from './storage/storage.ts'

export type FreshValue<Value> = {
  /** As of half a second ago at most. */
  current(): Promise<Value>
  /** The same if no reading is needed for it. */
  ifRead(): Value | undefined
}

/** Other nodes are not notified, so the value is read again after this time. We promise a second. */
const freshMs = 500

export function freshValue<Value>(
  storage: Pick<Storage, 'onAnnouncement'>,
  { changedBy, read }: { changedBy: Announcement['kind']; read: () => Promise<Value> },
): FreshValue<Value> {
  let known: { at: number; found: Promise<Value>; read?: Value } | undefined
  storage.onAnnouncement(({ kind }) => {
    if (kind === changedBy || kind === 'forget') known = undefined
  })
  const fresh = () => (known !== undefined && performance.now() - known.at < freshMs ? known : undefined)
  return {
    current() {
      const usable = fresh()
      if (usable !== undefined) return usable.found
      const reading: NonNullable<typeof known> = { at: performance.now(), found: read() }
      known = reading
      reading.found.then(
        (value) => {
          reading.read = value
        },
        () => {
          // The callers get the failure; the next one tries again.
          if (known === reading) known = undefined
        },
      )
      return reading.found
    },
    ifRead: () => fresh()?.read,
  }
}
