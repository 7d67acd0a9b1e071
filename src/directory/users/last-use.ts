/** When users last used their access: kept once a day, because sessions and keys are deleted, and what they know with them. */
import type { ChangeContext } from '../../store/context.ts'
import { skipLocked, texts } from '../../store/db/dialect.ts'
import { sql } from '../../store/db/sql.ts'

/**
 * Notes that these users used their access, for the inactivity rule. A row that another change holds is left out: the next use of the
 * day notes it.
 *
 * @param usedAt the earliest of the uses, in RFC 3339
 */
export async function noteUse(
  { db, rules }: ChangeContext,
  users: readonly { user_id: string }[],
  usedAt: string,
): Promise<void> {
  if (rules.inactivity === undefined || users.length === 0) return
  const ids = users.map(({ user_id }) => user_id)
  await db.run(sql`
    UPDATE users SET access_used_at = ${usedAt} WHERE user_id IN (
      SELECT user_id FROM users WHERE user_id IN (SELECT value FROM ${texts(db, ids)})
        AND (access_used_at IS NULL OR access_used_at < ${usedAt.slice(0, 10)}) ${skipLocked(db)})`)
}
