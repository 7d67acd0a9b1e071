/** Caches places of the default order on PostgreSQL, of all users and of organizations, per node (docs/decisions/speed.md, 0108). */
import type { Db } from '../../store/db/db.ts'
import { type FixedSql, fixedSql, sql } from '../../store/db/sql.ts'
import { tooCostly } from './cost.ts'
import type { PlainPlace } from './sql.ts'

/** A place is cached for every this many users: PostgreSQL scans that far along an index in less than 5 ms. */
export const placeStep = 20_000
/** The maximum number of new places per request, some 0.5 s; the next request continues there. */
const newPlaces = 100

/**
 * `ids[i]` is the last of the first (i + 1) * placeStep users of all, or of an organization, as long as the database is in this state.
 */
type Places = { state: string; ids: Map<string | undefined, string[]> }

/** The database that was read last: with another one the state differs. */
let known: Places = { state: '', ids: new Map() }

/**
 * Returns a user from which the place is reached in fewer steps, and how many. In a snapshot, or a change in between counts twice.
 *
 * @throws AppError `list_too_costly`
 */
export async function placeBefore(
  db: Db,
  offset: number,
  organization?: string,
): Promise<{ user_id: string; offset: number } | undefined> {
  const wanted = Math.floor(offset / placeStep)
  const { ids, isUnfinished } = await findPlaces(db, organization, wanted)
  if (isUnfinished) throw tooCostly({ counts: false, offset: true })
  const place = Math.min(wanted, ids.length)
  const user_id = ids[place - 1]
  return user_id === undefined ? undefined : { user_id, offset: offset - place * placeStep }
}

/** Counts those up to the last place by the places, and the others one by one. */
export async function countOfOrganization(db: Db, organization: string): Promise<number> {
  const { state, ids } = await findPlaces(db, organization, Number.POSITIVE_INFINITY)
  const count = async (after: string) => {
    const found = await db.get<{ n: number; state: string }>(sql`
      SELECT count(*) AS n, (SELECT ${stateNow} FROM user_changes) AS state
      FROM (SELECT 1 FROM users WHERE ${behind({ after, organization })}) AS rest`)
    return found as NonNullable<typeof found>
  }
  const rest = await count(ids.at(-1) ?? '')
  return ids.length === 0 || rest.state === state ? ids.length * placeStep + rest.n : (await count('')).n
}

async function findPlaces(
  db: Db,
  organization: string | undefined,
  wanted: number,
): Promise<{ state: string; ids: readonly string[]; isUnfinished: boolean }> {
  const { state, before } = await findState(db)
  if (known.state !== state) known = { state, ids: new Map() }
  const places = known.ids
  const ids = places.get(organization) ?? []
  for (let found = 0; ids.length < wanted; found++) {
    if (found === newPlaces) return { state, ids, isUnfinished: true }
    const next = ids.length
    const id = await findNext(db, { after: ids.at(-1) ?? '', organization }, before)
    if (id === undefined) break
    // Another request may have found it meanwhile.
    if (ids.length === next) ids.push(id)
  }
  if (ids.length > 0) places.set(organization, ids)
  return { state, ids, isUnfinished: false }
}

/** The same until a user comes or goes before a place, or moves to another organization. */
const stateNow = fixedSql(
  "concat_ws(' ', current_database(), 'users'::regclass::oid, pg_postmaster_start_time(), sum(moves))",
)

/**
 * `before`: ids of the last hour. Users may come between them without being counted, in a transaction of at most 55 minutes.
 * After a failover the counts could repeat, but the server has another start.
 */
async function findState(db: Db): Promise<{ state: string; before: string }> {
  const row = await db.get<{ state: string; ms: number }>(sql`
    SELECT ${stateNow} AS state, (extract(epoch FROM now() - interval '1 hour') * 1000)::bigint AS ms
    FROM user_changes`)
  const { state, ms } = row as NonNullable<typeof row>
  const time = Number(ms).toString(16).padStart(12, '0')
  return { state, before: `${time.slice(0, 8)}-${time.slice(8)}` }
}

async function findNext(db: Db, place: PlainPlace, before: string): Promise<string | undefined> {
  const row = await db.get<{ user_id: string }>(sql`
    SELECT user_id FROM users WHERE user_id < ${before} AND ${behind(place)} OFFSET ${placeStep - 1} LIMIT 1`)
  return row?.user_id
}

/**
 * Users behind one, in the default order. Fixed, so that a connection keeps the statement of a page. An organization is named by its two
 * ends: with `=`, the planner may walk the ids of all users instead, past every other organization. With one end it expects, in the plan
 * that it keeps, a third of all users, and sorts those of the organization.
 */
export function behind({ after, organization }: PlainPlace): FixedSql {
  return organization === undefined
    ? { fixed: behindId, values: [after] }
    : { fixed: behindWithin, values: [organization, after, organization, organization] }
}

const behindId = ['user_id > ', ' ORDER BY user_id']
const behindWithin = [
  '(organization_id, user_id) > (',
  ', ',
  ') AND organization_id >= ',
  ' AND organization_id <= ',
  ' ORDER BY organization_id, user_id',
]
