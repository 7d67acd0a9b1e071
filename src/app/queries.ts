import * as list from '../directory/users/list/list.ts'
import { isQuick } from '../directory/users/list/plan.ts'
import { judgeMany } from '../directory/users/many.ts'
import * as audit from '../record/audit/service.ts'
import { totals } from '../record/statistics/service.ts'
import type { Db } from '../store/db/db.ts'

/**
 * Reads that may take long and therefore run away from the main thread, by name; `isQuick` tells those that need not. A
 * bounded one does a limited amount of work, so that it never waits behind one that may take seconds.
 */
export const queries = {
  'users.page': { run: list.page, isQuick, isBounded: true },
  'users.count': { run: list.count, isQuick: () => false, isBounded: false },
  'users.matching': { run: list.matching, isQuick: () => false, isBounded: false },
  'users.judge_many': { run: judgeMany, isQuick: () => false, isBounded: false },
  'audit.find': { run: audit.find, isQuick: audit.isQuick, isBounded: false },
  'audit.ends': { run: audit.ends, isQuick: () => true, isBounded: true },
  'audit.last_before': { run: audit.lastBefore, isQuick: () => false, isBounded: false },
  'audit.checkpoint': { run: audit.checkpoint, isQuick: () => false, isBounded: false },
  'statistics.totals': { run: totals, isQuick: () => false, isBounded: false },
} satisfies Record<
  string,
  { run(db: Db, input: never): Promise<unknown>; isQuick(input: never): boolean; isBounded: boolean }
>

export type Queries = typeof queries
export type QueryName = keyof Queries
export type QueryInput<Name extends QueryName> = Parameters<Queries[Name]['run']>[1]
export type QueryResult<Name extends QueryName> = Awaited<ReturnType<Queries[Name]['run']>>
