import { randomUUID } from 'node:crypto'
import type { ChangeContext } from '../../store/context.ts'
import { findState, setState } from '../../store/state.ts'

/** Names the history of a new store. Numbers of another history mean nothing in it. */
export async function nameHistory({ db }: Pick<ChangeContext, 'db'>): Promise<void> {
  await db.lock(['events.begin'])
  if ((await findState(db, 'feed_id')) === undefined) await setState(db, 'feed_id', randomUUID())
}

/** For a restored store: what follows is another history than the published one. */
export async function startNewHistory({ db }: Pick<ChangeContext, 'db'>): Promise<void> {
  await setState(db, 'feed_id', randomUUID())
}
