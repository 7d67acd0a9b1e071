import type { Db, Transaction } from '../../store/db/db.ts'
import { givenRows, isServer } from '../../store/db/dialect.ts'
import { joinSql, rawSql, type Sql, sql } from '../../store/db/sql.ts'
import { type EventRow, events, findById, removeFromIndex } from '../journal/service.ts'

/** The state of the feed as a whole. */
export type FeedState = {
  feed_id: string
  /** The number of the newest event ever. */
  newest: number
  /** Up to this number, superseded events and ends may have been removed. */
  compacted_to: number
}

/** Returns the wanted ones of the next `look` events, at most `limit`. */
type Look = { look: number; limit: number; types: readonly string[] | null }

type Seen = { state: FeedState; rows: EventRow[] /** The last that was looked at. */; reached: number | null }

/** In one statement, so rows and state are consistent while others write and compact. */
export async function readAfter(db: Db, seq: number, { look, limit, types }: Look): Promise<Seen> {
  const found = await db.all<EventRow & FeedState & Pick<Seen, 'reached'>>(sql`
    WITH looked AS MATERIALIZED (
      SELECT max(seq) AS reached FROM (SELECT seq FROM events WHERE seq > ${seq} ORDER BY seq LIMIT ${look}) AS next)
    SELECT feed_id, newest, compacted_to, reached, ${events.columns} FROM (
      SELECT (SELECT value FROM journal_state WHERE name = 'feed_id') AS feed_id,
        (SELECT coalesce(max(seq), 0) FROM events) AS newest,
        (SELECT value FROM journal_state WHERE name = 'events_compacted_to') AS compacted_to,
        (SELECT reached FROM looked) AS reached) AS state
    LEFT JOIN (
      SELECT ${events.columns} FROM events
      WHERE seq > ${seq} AND seq <= (SELECT reached FROM looked) AND ${whereType(types)}
      ORDER BY seq LIMIT ${limit}) AS page ON 1 = 1
    ORDER BY seq`)
  const { feed_id = '', newest = 0, compacted_to, reached = null } = found[0] ?? {}
  return {
    state: { feed_id, newest, compacted_to: Number(compacted_to ?? 0) },
    rows: found.filter((row) => row.seq !== null),
    reached,
  }
}

/** Like `isWanted`. A slash follows a dot in order: between the two lies every type of a noun. */
function whereType(types: readonly string[] | null): Sql {
  if (types === null) return rawSql('1 = 1')
  const wanted = types.map((filter) =>
    filter.endsWith('.*')
      ? sql`(type > ${filter.slice(0, -1)} AND type < ${filter.replace('.*', '/')})`
      : sql`type = ${filter}`,
  )
  return sql`(${joinSql(wanted, ' OR ')})`
}

export function listEventsAfter(db: Db, seq: number, limit: number): Promise<EventRow[]> {
  return db.all<EventRow>(sql`
    SELECT ${events.columns} FROM events
    WHERE seq > ${seq} ORDER BY seq LIMIT ${limit}`)
}

/** The first event from this number on. */
export function findEventFrom(db: Db, seq: number): Promise<Pick<EventRow, 'seq' | 'occurred_at'> | undefined> {
  return db.get(sql`SELECT seq, occurred_at FROM events WHERE seq >= ${seq} ORDER BY seq LIMIT 1`)
}

type Numbered = Pick<EventRow, 'seq' | 'owner_id' | 'subject'>

/** Deletes earlier events about the same subjects. */
export async function deleteEventsBefore(db: Transaction, rows: readonly Numbered[]): Promise<void> {
  if (isServer(db)) {
    const superseded = rows.map(
      ({ owner_id, subject, seq }) => sql`(owner_id = ${owner_id} AND subject = ${subject} AND seq < ${seq})`,
    )
    await db.run(sql`DELETE FROM events WHERE ${joinSql(superseded, ' OR ')}`)
    return
  }
  for (const { owner_id: id, subject, seq } of rows) {
    const found = await findById<{ seq: number }>(
      db,
      'event_owners',
      rawSql('seq'),
      { id, below: seq },
      sql`subject = ${subject}`,
    )
    if (found.length === 0) continue
    const superseded = sql`seq IN (SELECT seq FROM ${givenNumbers(db, found)})`
    await removeFromIndex(db, 'event_owners', superseded)
    await db.run(sql`DELETE FROM events WHERE ${superseded}`)
  }
}

const givenNumbers = givenRows<{ seq: number }>({ seq: 'bigint' })
