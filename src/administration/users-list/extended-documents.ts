/** Rows with members that a list never shows, for encrypted exports. */
import type { Db } from '../../store/db/db.ts'

/** Returns what is added to each of these users, by `user_id`. */
export type Extend = (db: Db, userIds: readonly string[]) => Promise<ReadonlyMap<string, Record<string, unknown>>>

type Listed = { user_id: string; document: string }

export async function extended(db: Db, rows: readonly Listed[], extend: Extend): Promise<string[]> {
  const ids = rows.map(({ user_id }) => user_id)
  const found = await extend(db, ids)
  return rows.map(({ user_id, document }) => {
    const added = JSON.stringify(found.get(user_id) ?? {}).slice(1, -1)
    return added === '' ? document : `${document.slice(0, -1)},${added}}`
  })
}
