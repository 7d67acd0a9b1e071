/** Users whose username or address has another form than the one by which users are found (docs/decisions/0122). */
import { oneDomainForm } from '../../lib/email-form.ts'
import type { Db } from '../../store/db/db.ts'
import { sql } from '../../store/db/sql.ts'

export type Unfindable = {
  /** How many there are. */
  count: number
  /** The first of them; `found` is the user who is found instead, if there is one. */
  first: { user_id: string; found: string | undefined }[]
}

type Keys = { user_id: string; username_key: string; email_key: string | null }

const batch = 5000

/** Reads the keys of all users whose domain may have another form. */
export async function findUnfindable(db: Db, limit: number): Promise<Unfindable> {
  const result: Unfindable = { count: 0, first: [] }
  for (let after = ''; ; ) {
    const rows = await db.all<Keys>(sql`
      SELECT user_id, username_key, email_key FROM users
      WHERE user_id > ${after} AND (username_key LIKE '%@%xn--%' OR email_key LIKE '%xn--%'
        OR octet_length(username_key) <> length(username_key) OR octet_length(email_key) <> length(email_key))
      ORDER BY user_id LIMIT ${batch}`)
    for (const { user_id, username_key, email_key } of rows) {
      const lost = [username_key, email_key].find((key) => key !== null && oneDomainForm(key) !== key)
      if (typeof lost !== 'string') continue
      result.count++
      if (result.first.length < limit) result.first.push({ user_id, found: await findByKey(db, oneDomainForm(lost)) })
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < batch) return result
    after = last.user_id
  }
}

async function findByKey(db: Db, key: string): Promise<string | undefined> {
  const row = await db.get<{ user_id: string }>(
    sql`SELECT user_id FROM users WHERE username_key = ${key} OR email_key = ${key}`,
  )
  return row?.user_id
}
