/** Streams all matching records as NDJSON. */
import type { ReadRequest, Snapshot, Storage } from '../../store/storage/storage.ts'
import { type Find, type Found, walk } from './audit.ts'
import type { AuditPlan } from './plan.ts'

/**
 * Starts to read; a request that cannot start fails here. Records never move, so no snapshot is held open: each batch is
 * its own read. Only retention can delete unread records, and then the stream fails: an incomplete export must not look
 * complete.
 */
export async function openExport(
  storage: Storage,
  plan: AuditPlan,
  request: ReadRequest,
  recheck: () => void | Promise<void>,
): Promise<Snapshot> {
  const find: Find = async (search) => {
    // A slow reader may take hours: stop if the permission was lost.
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
