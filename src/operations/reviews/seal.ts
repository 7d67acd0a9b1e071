/** The seal of a closed review: a digest over the digests of its rows, which the audit record of the closing has, too. */

import { createHash } from 'node:crypto'
import { system } from '../../core/actor.ts'
import { scopeOf } from '../../core/scope.ts'
import { findLatestAbout } from '../../record/audit/service.ts'
import type { Db, Transaction } from '../../store/db/db.ts'
import * as store from './store.ts'

const sealedTogether = 1000

/** Of what was decided about which access. Written when the review is closed: an erasure may take names away later. */
function digestOfRow({ row_id, frozen, state, comment, decided_at, decider }: store.StoredRow): string {
  return sha256(
    JSON.stringify([row_id, JSON.parse(frozen), state, comment, decided_at, decider && JSON.parse(decider)]),
  )
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Writes the digest of each row. Returns the digest of all. */
export async function seal(db: Transaction, reviewId: string): Promise<string> {
  const whole = createHash('sha256')
  for await (const row of rowsOf(db, reviewId)) {
    const digest = digestOfRow(row)
    whole.update(`${digest}\n`)
    await store.updateRow(db, reviewId, { ...row, digest })
  }
  return whole.digest('hex')
}

export async function* rowsOf(
  db: Db,
  review_id: string,
  state?: store.StoredRow['state'],
): AsyncGenerator<store.StoredRow> {
  let after = -1
  for (;;) {
    const rows = await store.listRows(db, { review_id, state, after, limit: sealedTogether })
    yield* rows
    if (rows.length < sealedTogether) return
    after = Number(rows.at(-1)?.position)
  }
}

/** Whether a row of an erased user: its names are gone, and its digest stays. */
const isErased = ({ frozen }: store.StoredRow) => (JSON.parse(frozen) as { erased?: true }).erased === true

/**
 * Returns what is wrong with the closed reviews of a store: rows that were changed after the seal, and seals that are not those of the
 * audit log. A closing that retention has deleted from the audit log is compared with the review alone.
 */
export async function findBrokenSeals(db: Db): Promise<string[]> {
  const faults: string[] = []
  for (const review of await store.listReviews(db)) {
    if (review.closed_at === null) continue
    const whole = createHash('sha256')
    let count = 0
    for await (const row of rowsOf(db, review.review_id)) {
      count++
      whole.update(`${row.digest}\n`)
      if (!isErased(row) && row.digest !== digestOfRow(row)) {
        faults.push(`A row of the closed review "${review.name}" (${review.review_id}) was changed: ${row.row_id}.`)
      }
    }
    const digest = whole.digest('hex')
    const newest = { target: review.review_id, limit: 1 }
    const [record] = await findLatestAbout(db, scopeOf(system), newest, { action: ['review.closed'] })
    const isSealed = digest === review.digest && count === Number(review.row_count)
    const isRecorded = record === undefined || record.details?.digest === review.digest
    if (!isSealed || !isRecorded) {
      faults.push(`The seal of the review "${review.name}" (${review.review_id}) does not fit its rows.`)
    }
  }
  return faults
}
