import * as audit from './audit/service.ts'
import type { Db } from './db/db.ts'
import { totals } from './statistics/service.ts'
import * as list from './users/list.ts'
import { isQuick } from './users/list-plan.ts'
import { judgeMany } from './users/many.ts'

/**
 * Reads that may take long and therefore run away from the main thread, by name; `isQuick` tells those that need not.
 */
export const queries = {
  'users.page': { run: list.page, isQuick },
  'users.count': { run: list.count, isQuick: () => false },
  'users.matching': { run: list.matching, isQuick: () => false },
  'users.judge_many': { run: judgeMany, isQuick: () => false },
  'audit.find': { run: audit.find, isQuick: audit.isQuick },
  'audit.ends': { run: audit.ends, isQuick: () => true },
  'audit.last_before': { run: audit.lastBefore, isQuick: () => false },
  'audit.checkpoint': { run: audit.checkpoint, isQuick: () => false },
  'statistics.totals': { run: totals, isQuick: () => false },
} satisfies Record<string, { run(db: Db, input: never): Promise<unknown>; isQuick(input: never): boolean }>

export type Queries = typeof queries
export type QueryName = keyof Queries
export type QueryInput<Name extends QueryName> = Parameters<Queries[Name]['run']>[1]
export type QueryResult<Name extends QueryName> = Awaited<ReturnType<Queries[Name]['run']>>
