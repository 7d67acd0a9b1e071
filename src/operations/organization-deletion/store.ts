import type { Db } from '../../store/db/db.ts'
import { sql } from '../../store/db/sql.ts'

/** How many users from elsewhere are in groups of the organization. */
export async function countGuests(db: Db, organizationId: string): Promise<number> {
  const found = await db.get<{ n: number }>(sql`
    SELECT count(DISTINCT group_members.user_id) AS n
    FROM user_groups
      JOIN group_members ON group_members.group_id = user_groups.group_id
      JOIN users ON users.user_id = group_members.user_id
    WHERE user_groups.organization_id = ${organizationId}
      AND (users.organization_id IS NULL OR users.organization_id <> user_groups.organization_id)`)
  return Number(found?.n ?? 0)
}

/** How many users of the organization a provisioning connection manages that belongs elsewhere. */
export async function countManagedFromElsewhere(db: Db, organizationId: string): Promise<number> {
  const found = await db.get<{ n: number }>(sql`
    SELECT count(*) AS n FROM users
    WHERE organization_id = ${organizationId} AND managed_by IS NOT NULL
      AND NOT EXISTS (
        SELECT 1 FROM provisioning_connections
        WHERE provisioning_connections.connection_id = users.managed_by
          AND provisioning_connections.organization_id = ${organizationId})`)
  return Number(found?.n ?? 0)
}
