/** The rows of `user_ends`: an index of the users with an end date, kept in the change that writes the user. */
import type { Scope } from '../../../core/scope.ts'
import type { Db, Transaction } from '../../../store/db/db.ts'
import { andWithin } from '../../../store/db/scope.ts'
import { sql } from '../../../store/db/sql.ts'
import type { UserRow } from '../store.ts'

type Ending = Pick<UserRow, 'user_id' | 'access_ends_at' | 'end_recorded'>

/** For new users. */
export async function addEnds(db: Transaction, rows: readonly Ending[]): Promise<void> {
  for (const row of rows) if (row.access_ends_at !== null) await putEnd(db, row)
}

/** For a user whose end date may have changed. */
export async function changeEnd(db: Transaction, found: Ending, next: Ending): Promise<void> {
  if (next.access_ends_at === found.access_ends_at && next.end_recorded === found.end_recorded) return
  if (next.access_ends_at === null) await removeEnd(db, found)
  else await putEnd(db, next)
}

/** For a deleted user. */
export async function removeEnd(
  db: Transaction,
  { user_id, access_ends_at }: Omit<Ending, 'end_recorded'>,
): Promise<void> {
  if (access_ends_at !== null) await db.run(sql`DELETE FROM user_ends WHERE user_id = ${user_id}`)
}

async function putEnd(db: Transaction, { user_id, access_ends_at, end_recorded }: Ending): Promise<void> {
  await db.run(sql`
    INSERT INTO user_ends (user_id, expires_at, recorded) VALUES (${user_id}, ${access_ends_at}, ${end_recorded})
    ON CONFLICT (user_id) DO UPDATE SET
      noticed = CASE WHEN user_ends.expires_at = excluded.expires_at THEN user_ends.noticed ELSE 0 END,
      digested = CASE WHEN user_ends.expires_at = excluded.expires_at THEN user_ends.digested ELSE 0 END,
      expires_at = excluded.expires_at, recorded = excluded.recorded`)
}

/** The users whose end has come and is not recorded, the earliest first. */
export async function listDueEnds(db: Db, now: string, limit: number): Promise<string[]> {
  const rows = await db.all<{ user_id: string }>(sql`
    SELECT user_id FROM user_ends WHERE recorded = 0 AND expires_at <= ${now} ORDER BY expires_at LIMIT ${limit}`)
  return rows.map(({ user_id }) => user_id)
}

/** Whether any user within the scope has an end date. */
export async function hasEnds(db: Db, scope: Scope): Promise<boolean> {
  const isAny = (await db.get(sql`SELECT 1 FROM user_ends LIMIT 1`)) !== undefined
  if (!isAny || scope.kind === 'everyone') return isAny
  return (
    (await db.get(sql`SELECT 1 FROM users WHERE access_ends_at IS NOT NULL${andWithin(scope)} LIMIT 1`)) !== undefined
  )
}

export type ComingEnd = { user_id: string; expires_at: string }

/** The users of whose coming end so many notices are due by `until`, and have not been sent: the earliest first. */
export function listUnnoticed(
  db: Db,
  { now, until, notices, limit }: { now: string; until: string; notices: number; limit: number },
): Promise<ComingEnd[]> {
  return db.all<ComingEnd>(sql`
    SELECT user_id, expires_at FROM user_ends
    WHERE recorded = 0 AND expires_at > ${now} AND expires_at <= ${until} AND noticed < ${notices}
    ORDER BY expires_at LIMIT ${limit}`)
}

export async function setNoticed(db: Transaction, userId: string, notices: number): Promise<void> {
  await db.run(sql`UPDATE user_ends SET noticed = ${notices} WHERE user_id = ${userId}`)
}

/** The active users of whose coming end administrators do not know, the earliest first. */
export function listUndigested(db: Db, now: string): Promise<(ComingEnd & { username: string })[]> {
  return db.all(sql`
    SELECT users.user_id, username, user_ends.expires_at FROM user_ends JOIN users USING (user_id)
    WHERE recorded = 0 AND user_ends.expires_at > ${now} AND digested < noticed AND active = 1
    ORDER BY user_ends.expires_at`)
}

export type ComingMembershipEnd = ComingEnd & { group_id: string; name: string }

/** The same of memberships, with the groups. */
export function listUnnoticedMemberships(
  db: Db,
  { now, until, notices, limit }: { now: string; until: string; notices: number; limit: number },
): Promise<ComingMembershipEnd[]> {
  return db.all<ComingMembershipEnd>(sql`
    SELECT user_id, group_id, name, expires_at FROM membership_ends JOIN user_groups USING (group_id)
    WHERE expires_at > ${now} AND expires_at <= ${until} AND noticed < ${notices}
    ORDER BY expires_at LIMIT ${limit}`)
}

export async function setMembershipNoticed(
  db: Transaction,
  { user_id, group_id }: Pick<ComingMembershipEnd, 'user_id' | 'group_id'>,
  notices: number,
): Promise<void> {
  await db.run(sql`
    UPDATE membership_ends SET noticed = ${notices} WHERE group_id = ${group_id} AND user_id = ${user_id}`)
}

/** The memberships of active users of whose coming end administrators do not know, the earliest first. */
export function listUndigestedMemberships(
  db: Db,
  now: string,
): Promise<(ComingMembershipEnd & { username: string })[]> {
  return db.all(sql`
    SELECT users.user_id, username, group_id, name, membership_ends.expires_at
    FROM membership_ends JOIN users USING (user_id) JOIN user_groups USING (group_id)
    WHERE membership_ends.expires_at > ${now} AND digested < noticed AND active = 1
    ORDER BY membership_ends.expires_at`)
}

export async function setDigested(db: Transaction): Promise<void> {
  await db.run(sql`UPDATE user_ends SET digested = noticed WHERE digested < noticed`)
  await db.run(sql`UPDATE membership_ends SET digested = noticed WHERE digested < noticed`)
}
