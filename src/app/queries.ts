/** Every read that may take long and therefore runs outside the main thread, by name, and every list that is read as a whole. */
import { findForExport } from '../access/credentials/factors/service.ts'
import { findUsersToSignOut } from '../access/credentials/sessions/service.ts'
import { findUsersWithWays } from '../access/providers/connections/service.ts'
import { type BatchOfCaller, judgeMany } from '../administration/bulk-changes/service.ts'
import { exportStream } from '../administration/exports/service.ts'
import type { Db } from '../store/db/db.ts'
import type { QueryHandlers, ReadHandlers, StreamHandlers } from '../store/storage/registry.ts'
import { queries as offeredQueries, streams as offeredStreams } from './generated/queries.ts'

const queries = {
  ...offeredQueries,
  'users.judge_many': {
    run: (db: Db, batch: BatchOfCaller) => judgeMany(db, batch, { findUsersToSignOut, findUsersWithWays }),
    isQuick: () => false,
    isBounded: false,
  },
} satisfies QueryHandlers

/** They are read piece by piece from a snapshot. */
const streams = {
  ...offeredStreams,
  'users.export': exportStream(findForExport),
} satisfies StreamHandlers

/** Dependencies of a thread that reads. */
export const reads: ReadHandlers = { queries, streams }

type AllQueries = typeof queries
type AllStreams = typeof streams
declare module '../store/storage/registry.ts' {
  interface Registry {
    queries: AllQueries
    streams: AllStreams
  }
}
