/** Views of one moment on PostgreSQL: transactions that only read. */
import type { PoolClient } from 'pg'
import { postgresDb } from '../db/postgres/connection.ts'
import { isConnectionLost } from '../db/postgres/failures.ts'
import type { Primary } from '../db/postgres/primary.ts'
import { sql } from '../db/sql.ts'
import { count } from '../users/list.ts'
import type { ListPlan } from '../users/list-plan.ts'

/** Runs the reads in one view of the data. */
export async function inSnapshot<T>(client: PoolClient, reads: () => Promise<T>): Promise<T> {
  const begun = client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  begun.catch(() => {}) // The reads fail as well then.
  try {
    const result = await reads()
    await client.query('COMMIT')
    return result
  } catch (error) {
    if (!isConnectionLost(error)) await client.query('ROLLBACK')
    throw error
  }
}

export async function beginSnapshot(lists: Primary, schema: string, plan: ListPlan) {
  const client = await lists.connect()
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const db = postgresDb(client, schema)
    // The first read is what fixes the view.
    const total = plan.count ? await count(db, plan.filters) : void (await db.get(sql`SELECT 1 FROM migrations`))
    return { client, total: total as number | undefined }
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** One that was read to its end leaves its connection for the next. */
export function endSnapshot(client: PoolClient, finished: boolean): void {
  if (!finished) {
    client.release(true)
    return
  }
  client.query('COMMIT').then(
    () => client.release(),
    () => client.release(true),
  )
}
