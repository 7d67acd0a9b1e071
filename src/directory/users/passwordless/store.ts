import type { Db, Transaction } from '../../../store/db/db.ts'
import { joinSql, sql } from '../../../store/db/sql.ts'
import { ofActiveOrganization, type UserRow } from '../store.ts'

/** The domain that stands for all users. */
export const everyone = '*'

/** `organization_id`: that of the connection, which refuses passwords of its users only. */
export type Refusing = { connection_id: string; domain: string; organization_id: string | null }
export type Excepted = { connection_id: string; user_id: string }

const list = (values: readonly string[]) =>
  joinSql(
    values.map((value) => sql`${value}`),
    ', ',
  )

/** An unknown user counts as one of the organization only by the domain. */
export async function isRefused(db: Db, userId: string, domains: readonly string[]): Promise<boolean> {
  const found = await db.get<{ domain: string }>(sql`
    SELECT domain FROM passwordless LEFT JOIN sign_in_connections USING (connection_id)
      LEFT JOIN users ON users.user_id = ${userId}
    WHERE domain IN (${list([everyone, ...domains])}) AND (
      sign_in_connections.organization_id IS NULL
      OR users.organization_id = sign_in_connections.organization_id
      OR (users.user_id IS NULL AND domain <> ${everyone}))
    AND NOT EXISTS (
      SELECT 1 FROM break_glass
      WHERE break_glass.connection_id = passwordless.connection_id AND break_glass.user_id = ${userId}) LIMIT 1`)
  return found !== undefined
}

export function listRefusing(db: Db): Promise<Refusing[]> {
  return db.all<Refusing>(sql`
    SELECT passwordless.connection_id, domain, organization_id
    FROM passwordless LEFT JOIN sign_in_connections USING (connection_id)`)
}

export function listExcepted(db: Db): Promise<Excepted[]> {
  return db.all<Excepted>(sql`SELECT connection_id, user_id FROM break_glass`)
}

export async function replaceRules(
  db: Transaction,
  connectionId: string,
  { domains, exceptions }: { domains: readonly string[]; exceptions: readonly string[] },
): Promise<void> {
  await db.run(sql`DELETE FROM passwordless WHERE connection_id = ${connectionId}`)
  await db.run(sql`DELETE FROM break_glass WHERE connection_id = ${connectionId}`)
  for (const domain of domains) {
    await db.run(sql`INSERT INTO passwordless (connection_id, domain) VALUES (${connectionId}, ${domain})`)
  }
  for (const user_id of exceptions) {
    await db.run(sql`INSERT INTO break_glass (connection_id, user_id) VALUES (${connectionId}, ${user_id})`)
  }
}

export type Named = Pick<UserRow, 'user_id' | 'username' | 'email'>
/** With the organization, to which the rule of a connection may be limited. */
export type Placed = Named & Pick<UserRow, 'organization_id'>

/** Active users who have a password and one of these roles without an end date, by id. */
export function listWithPassword(
  db: Db,
  roles: readonly string[],
  { after, limit }: { after: string; limit: number },
): Promise<Placed[]> {
  return db.all<Placed>(sql`
    SELECT user_id, username, email, organization_id FROM users
    WHERE active = 1 AND ${ofActiveOrganization} AND access_ends_at IS NULL AND password_hash IS NOT NULL
      AND user_id > ${after} AND user_id IN (
      SELECT user_id FROM users WHERE role IN (${list(roles)}) AND active = 1
      UNION
      SELECT user_id FROM group_members JOIN user_groups USING (group_id)
      WHERE user_groups.role IN (${list(roles)}) AND NOT EXISTS (
        SELECT 1 FROM membership_ends
        WHERE membership_ends.group_id = group_members.group_id AND membership_ends.user_id = group_members.user_id))
    ORDER BY user_id LIMIT ${limit}`)
}
