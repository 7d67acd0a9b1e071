import type { Db } from '../../store/db/db.ts'
import type { StreamHandlers } from '../../store/storage/registry.ts'
import { type RowsPlan, writeRows } from './formats.ts'

export const streams = {
  'reviews.rows': { total: () => undefined, pieces: (db: Db, plan: RowsPlan) => writeRows(db, plan) },
} satisfies StreamHandlers
