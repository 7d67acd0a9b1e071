import type { Db, Engine } from '../../store/db/db.ts'
import type { QueryHandlers, StreamHandlers } from '../../store/storage/registry.ts'
import { closest } from './closest.ts'
import * as list from './list.ts'
import { isQuick, type ListPlan } from './plan.ts'

/** SQLite reads a page in some microseconds. */
const samePage = (plan: ListPlan, engine: Engine) => (engine === 'postgres' ? JSON.stringify(plan) : undefined)

export const queries = {
  'users.page': { run: list.page, isQuick, isBounded: true, sameAs: samePage },
  'users.closest': { run: closest, isQuick: () => false, isBounded: true },
  'users.count': { run: list.count, isQuick: () => false, isBounded: false },
  'users.matching': { run: list.matching, isQuick: () => false, isBounded: false },
} satisfies QueryHandlers

export const streams = {
  'users.list': {
    total: (db: Db, plan: ListPlan) => (plan.count ? list.count(db, plan.filters) : undefined),
    pieces: (db: Db, plan: ListPlan) => list.stream(db, plan),
  },
} satisfies StreamHandlers
