import { timestamp } from '../../lib/instant.ts'
import { isServer } from '../../store/db/dialect.ts'
import type { Job } from '../../store/jobs/rounds.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { thisNode } from './nodes.ts'

/** Tells the other nodes that this one serves, and that it leaves. On SQLite there is only one node. */
export function nodeReports(storage: Storage): { report: Job; leave: Job } {
  const node = thisNode(timestamp(Date.now()))
  const isAlone = !isServer(storage.db)
  return {
    async report({ request }) {
      if (!isAlone) await storage.change('nodes.report', node, request)
    },
    async leave({ request }) {
      if (!isAlone) await storage.change('nodes.remove', node, request)
    },
  }
}
