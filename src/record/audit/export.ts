/** All records that match, as a stream of NDJSON in pieces. */
import type { ReadRequest, Snapshot, Storage } from '../../store/storage/storage.ts'
import type { AuditPlan } from './plan.ts'
import { type Find, type Found, walk } from './service.ts'

/**
 * Begins to read; what cannot be begun fails here. Records never change their place, so no view of the data has to be
 * held open: each piece is a read of its own. Only retention can take away what was not read yet, and then the stream
 * fails: what is not whole must not look whole.
 */
export async function openExport(
  storage: Storage,
  plan: AuditPlan,
  request: ReadRequest,
  recheck: () => void | Promise<void>,
): Promise<Snapshot> {
  const find: Find = async (search) => {
    // A slow reader may take hours: whoever may read no more gets no more.
    await recheck()
    const found = await storage.query('audit.find', search, request)
    const { base } = await storage.query('audit.ends', undefined, request)
    if (base.seq > search.range.above) throw new Error('Retention deleted records before they were read.')
    return found
  }
  const pieces = walk(find, plan, await storage.query('audit.ends', undefined, request))
  let first: Promise<IteratorResult<Found[], undefined>> | undefined = pieces.next()
  await first
  return {
    total: undefined,
    async next() {
      const { value } = await (first ?? pieces.next())
      first = undefined
      return value && toNdjson(value)
    },
    close() {
      void pieces.return(undefined)
    },
  }
}

export function toNdjson(found: readonly Found[]): Uint8Array {
  return Buffer.from(found.map(({ text }) => `${text}\n`).join(''))
}
