import type { Logger } from 'pino'
import type { Config } from '../../core/config.ts'
import { timestamp } from '../../lib/instant.ts'
import { isServer } from '../../store/db/dialect.ts'
import type { Job } from '../../store/jobs/rounds.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { explainDifferences, listDifferences, thisNode } from './nodes.ts'
import { digestsOf } from './shared-settings.ts'

type Parts = { storage: Storage; config: Config; log: Logger }

/** Tells the other nodes that this one serves, with which settings, and that it leaves. On SQLite there is only one node. */
export function nodeReports({ storage, config, log }: Parts): { report: Job; removeNode: Job } {
  const digests = digestsOf(config)
  const node = { ...thisNode(timestamp(Date.now())), settings: JSON.stringify(digests) }
  const isAlone = !isServer(storage.db)
  /** What was logged last: once per difference. */
  let lastReported: string | undefined
  return {
    async report({ request }) {
      if (isAlone) return
      await storage.change('nodes.report', node, request)
      const found = explainDifferences(await listDifferences(storage.db, digests, request.now))
      if (found !== lastReported) {
        if (found === undefined) log.info('all nodes have the same settings again')
        else log.warn(found)
      }
      lastReported = found
    },
    async removeNode({ request }) {
      if (!isAlone) await storage.change('nodes.remove', node, request)
    },
  }
}
