/** Caches places of the default order of all users on PostgreSQL, per node (docs/decisions/speed.md, 0108). */
import type { Db } from '../../store/db/db.ts'
import { sql } from '../../store/db/sql.ts'
import { tooCostly } from './cost.ts'

/** A place is cached for every this many users: PostgreSQL scans that far along the index of ids in less than 5 ms. */
export const placeStep = 20_000
/** The maximum number of new places per request, some 0.5 s; the next request continues there. */
const newPlaces = 100

/** `ids[i]` is the last of the first (i + 1) * placeStep users, as long as the database is in this state. */
type Places = { state: string; ids: string[] }

/** The database that was read last: with another one the state differs. */
let known: Places = { state: '', ids: [] }

/**
 * Returns a user from which the place is reached in fewer steps, and how many. In a snapshot, or a change in between counts twice.
 *
 * @throws AppError `list_too_costly`
 */
export async function placeBefore(db: Db, offset: number): Promise<{ user_id: string; offset: number } | undefined> {
  const { state, before } = await findState(db)
  if (known.state !== state) known = { state, ids: [] }
  const { ids } = known
  const wanted = Math.floor(offset / placeStep)
  for (let found = 0; ids.length < wanted; found++) {
    if (found === newPlaces) throw tooCostly({ counts: false, offset: true })
    const next = ids.length
    const id = await findNext(db, ids.at(-1) ?? '', before)
    if (id === undefined) break
    // Another request may have found it meanwhile.
    if (ids.length === next) ids.push(id)
  }
  const place = Math.min(wanted, ids.length)
  const user_id = ids[place - 1]
  return user_id === undefined ? undefined : { user_id, offset: offset - place * placeStep }
}

/**
 * `before`: ids of the last hour. Users may come between them without being counted, in a transaction of at most 55 minutes.
 * After a failover the counts could repeat, but the server has another start.
 */
async function findState(db: Db): Promise<{ state: string; before: string }> {
  const row = await db.get<{ state: string; ms: number }>(sql`
    SELECT concat_ws(' ', current_database(), 'users'::regclass::oid, pg_postmaster_start_time(), sum(moves)) AS state,
      (extract(epoch FROM now() - interval '1 hour') * 1000)::bigint AS ms
    FROM user_changes`)
  const { state, ms } = row as NonNullable<typeof row>
  const time = Number(ms).toString(16).padStart(12, '0')
  return { state, before: `${time.slice(0, 8)}-${time.slice(8)}` }
}

async function findNext(db: Db, after: string, before: string): Promise<string | undefined> {
  const row = await db.get<{ user_id: string }>(sql`
    SELECT user_id FROM users WHERE user_id > ${after} AND user_id < ${before}
    ORDER BY user_id OFFSET ${placeStep - 1} LIMIT 1`)
  return row?.user_id
}
