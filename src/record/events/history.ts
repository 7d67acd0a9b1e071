import { randomUUID } from 'node:crypto'
import type { ChangeContext } from '../../store/context.ts'
import { sql } from '../../store/db/sql.ts'
import { findState, setState } from '../../store/state.ts'
import { findNewestEvent, removeFromIndex } from '../journal/service.ts'

/** Names the history of a new store. Numbers of another history mean nothing in it. */
export async function nameHistory({ db }: Pick<ChangeContext, 'db'>): Promise<void> {
  await db.lock(['events.begin'])
  if ((await findState(db, 'feed_id')) === undefined) await setState(db, 'feed_id', randomUUID())
}

/** More numbers than can have been assigned since the backup. */
export const skippedNumbers = 1_000_000_000

/**
 * For a restored store: what follows is another history than the published one. Followers compare numbers and have seen some
 * that this store is about to assign, so numbering continues above them. The newest row carries the counter. Returns its number
 * before and after.
 */
export async function startNewHistory({ db }: Pick<ChangeContext, 'db'>): Promise<{ before: number; after: number }> {
  await setState(db, 'feed_id', randomUUID())
  const before = await findNewestEvent(db)
  await removeFromIndex(db, 'event_owners', sql`seq = ${before}`)
  await db.run(sql`UPDATE events SET seq = seq + ${skippedNumbers} WHERE seq = ${before}`)
  return { before, after: before === 0 ? 0 : before + skippedNumbers }
}
