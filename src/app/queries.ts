import { findForExport } from '../access/credentials/factors/exported.ts'
import { findUsersWithSessions } from '../access/credentials/sessions/service.ts'
import { findUsersWithWays } from '../access/providers/connections/identities.ts'
import * as factorPolicy from '../access/sign-in/factor-policy/service.ts'
import { type BatchOfCaller, judgeMany } from '../directory/bulk-changes/change-users.ts'
import { exportStream } from '../directory/exports/rows.ts'
import * as list from '../directory/users-list/list.ts'
import { isQuick, type ListPlan } from '../directory/users-list/plan.ts'
import * as audit from '../record/audit/audit.ts'
import { totals } from '../record/statistics/service.ts'
import { scimQueries } from '../scim/commands.ts'
import type { Db, Engine } from '../store/db/db.ts'
import type { QueryHandlers, ReadHandlers, StreamHandlers } from '../store/storage/registry.ts'

/** SQLite reads a page in some microseconds. */
const samePage = (plan: ListPlan, engine: Engine) => (engine === 'postgres' ? JSON.stringify(plan) : undefined)

/** Reads that may take long and therefore run outside the main thread, by name. */
const queries = {
  'users.page': { run: list.page, isQuick, isBounded: true, sameAs: samePage },
  'users.count': { run: list.count, isQuick: () => false, isBounded: false },
  'users.matching': { run: list.matching, isQuick: () => false, isBounded: false },
  'users.judge_many': {
    run: (db: Db, batch: BatchOfCaller) => judgeMany(db, batch, { findUsersWithSessions, findUsersWithWays }),
    isQuick: () => false,
    isBounded: false,
  },
  ...scimQueries,
  'audit.find': { run: audit.find, isQuick: audit.isQuick, isBounded: false },
  'audit.ends': { run: audit.ends, isQuick: () => true, isBounded: true },
  'audit.last_before': { run: audit.lastBefore, isQuick: () => false, isBounded: false },
  'audit.checkpoint': { run: audit.checkpoint, isQuick: () => false, isBounded: false },
  'second_factor_policy.count': { run: factorPolicy.count, isQuick: () => false, isBounded: false },
  'second_factor_policy.users': { run: factorPolicy.listWithoutFactor, isQuick: () => false, isBounded: true },
  'statistics.totals': { run: totals, isQuick: () => false, isBounded: false },
} satisfies QueryHandlers

/** Whole lists, which are read piece by piece from a snapshot. */
const streams = {
  'users.list': {
    total: (db: Db, plan: ListPlan) => (plan.count ? list.count(db, plan.filters) : undefined),
    pieces: (db: Db, plan: ListPlan) => list.stream(db, plan),
  },
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
