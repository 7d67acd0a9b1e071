import type { Db, Transaction } from '../../store/db/db.ts'
import { forUpdate, texts } from '../../store/db/dialect.ts'
import { fixedSql, joinSql, sql } from '../../store/db/sql.ts'
import type { RowState } from './schema.ts'

export type StoredReview = {
  review_id: string
  name: string
  /** JSON. */
  filter: string
  due_at: string
  /** JSON: ids of users. */
  reviewers: string
  remove_open: number
  row_count: number
  created_at: string
  /** JSON: kind, id and name, as `closer`. */
  creator: string
  updated_at: string
  due_recorded: number
  /** How many reminders were sent, or are not needed. */
  reminders: number
  closed_at: string | null
  closer: string | null
  digest: string | null
}

const columns =
  fixedSql(`review_id, name, filter, due_at, reviewers, remove_open, row_count, created_at, creator, updated_at,
  due_recorded, reminders, closed_at, closer, digest`)

export type StoredRow = {
  position: number
  row_id: string
  user_id: string
  /** JSON of the row of the access report. */
  frozen: string
  state: RowState
  comment: string
  decided_at: string | null
  decider: string | null
  digest: string | null
}

const rowColumns = fixedSql('position, row_id, user_id, frozen, state, comment, decided_at, decider, digest')

export async function insertReview(db: Transaction, row: StoredReview): Promise<void> {
  await db.run(sql`
    INSERT INTO reviews (review_id, name, filter, due_at, reviewers, remove_open, row_count, created_at, creator, updated_at,
      reminders)
    VALUES (${row.review_id}, ${row.name}, ${row.filter}, ${row.due_at}, ${row.reviewers}, ${row.remove_open},
      ${row.row_count}, ${row.created_at}, ${row.creator}, ${row.updated_at}, ${row.reminders})`)
}

type NewRow = Pick<StoredRow, 'position' | 'row_id' | 'user_id' | 'frozen'>

/** Each statement has this many rows. */
const insertedTogether = 100

export async function insertRows(db: Transaction, reviewId: string, rows: readonly NewRow[]): Promise<void> {
  for (let from = 0; from < rows.length; from += insertedTogether) {
    const values = rows
      .slice(from, from + insertedTogether)
      .map((row) => sql`(${reviewId}, ${row.position}, ${row.row_id}, ${row.user_id}, ${row.frozen})`)
    await db.run(sql`
      INSERT INTO review_rows (review_id, position, row_id, user_id, frozen) VALUES ${joinSql(values, ', ')}`)
  }
}

export function listReviews(db: Db): Promise<StoredReview[]> {
  return db.all<StoredReview>(sql`SELECT ${columns} FROM reviews ORDER BY review_id DESC`)
}

export function findReview(db: Db, reviewId: string): Promise<StoredReview | undefined> {
  return db.get<StoredReview>(sql`SELECT ${columns} FROM reviews WHERE review_id = ${reviewId}`)
}

/** Held until the transaction ends, so that no decision comes after the seal. */
export function findReviewForChange(db: Db, reviewId: string): Promise<StoredReview | undefined> {
  return db.get<StoredReview>(sql`SELECT ${columns} FROM reviews WHERE review_id = ${reviewId} ${forUpdate(db)}`)
}

export async function updateReview(db: Transaction, row: StoredReview): Promise<void> {
  await db.run(sql`
    UPDATE reviews SET name = ${row.name}, due_at = ${row.due_at}, reviewers = ${row.reviewers},
      remove_open = ${row.remove_open}, updated_at = ${row.updated_at}, due_recorded = ${row.due_recorded},
      reminders = ${row.reminders},
      closed_at = ${row.closed_at}, closer = ${row.closer}, digest = ${row.digest}
    WHERE review_id = ${row.review_id}`)
}

export async function countReviews(db: Db): Promise<number> {
  return Number((await db.get<{ count: number }>(sql`SELECT count(*) AS count FROM reviews`))?.count ?? 0)
}

export async function countStates(db: Db, reviewId: string): Promise<{ state: RowState; count: number }[]> {
  const rows = await db.all<{ state: RowState; count: number }>(sql`
    SELECT state, count(*) AS count FROM review_rows WHERE review_id = ${reviewId} GROUP BY state`)
  return rows.map(({ state, count }) => ({ state, count: Number(count) }))
}

type Page = { review_id: string; state?: RowState | undefined; after?: number | undefined; limit: number }

export async function listRows(db: Db, { review_id, state, after = -1, limit }: Page): Promise<StoredRow[]> {
  const conditions = [sql`review_id = ${review_id}`, sql`position > ${after}`]
  if (state !== undefined) conditions.push(sql`state = ${state}`)
  return db.all<StoredRow>(sql`
    SELECT ${rowColumns} FROM review_rows WHERE ${joinSql(conditions, ' AND ')} ORDER BY position LIMIT ${limit}`)
}

export function findRows(db: Db, reviewId: string, rowIds: readonly string[]): Promise<StoredRow[]> {
  return db.all<StoredRow>(sql`
    SELECT ${rowColumns} FROM review_rows
    WHERE review_id = ${reviewId} AND row_id IN (SELECT value FROM ${texts(db, rowIds)}) ORDER BY position`)
}

export async function updateRow(db: Transaction, reviewId: string, row: StoredRow): Promise<void> {
  await db.run(sql`
    UPDATE review_rows SET state = ${row.state}, comment = ${row.comment}, decided_at = ${row.decided_at},
      decider = ${row.decider}, digest = ${row.digest}, frozen = ${row.frozen}
    WHERE review_id = ${reviewId} AND position = ${row.position}`)
}

/** Open reviews that are due and not recorded as such, the earliest first. */
export function listDue(db: Db, now: string, limit: number): Promise<StoredReview[]> {
  return db.all<StoredReview>(sql`
    SELECT ${columns} FROM reviews WHERE due_recorded = 0 AND due_at <= ${now} AND closed_at IS NULL
    ORDER BY due_at LIMIT ${limit}`)
}

type Reminding = { now: string; until: string; reminders: number; limit: number }

/** Open reviews that are due until then, with fewer reminders. */
export function listUnreminded(db: Db, { now, until, reminders, limit }: Reminding): Promise<StoredReview[]> {
  return db.all<StoredReview>(sql`
    SELECT ${columns} FROM reviews
    WHERE due_recorded = 0 AND due_at > ${now} AND due_at <= ${until} AND reminders < ${reminders} AND closed_at IS NULL
    ORDER BY due_at LIMIT ${limit}`)
}

type RowOfUser = StoredRow & { review_id: string }

export function listRowsAbout(db: Db, userId: string): Promise<RowOfUser[]> {
  return db.all<RowOfUser>(sql`SELECT review_id, ${rowColumns} FROM review_rows WHERE user_id = ${userId}`)
}
