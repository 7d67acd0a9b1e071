/** Verifies a whole store in one consistent view, in steps. */
import type { Db } from '../../store/db/db.ts'
import type { Entry } from '../journal/service.ts'
import { ends, type Link } from './audit.ts'
import type { AuditCheckpoint } from './schema.ts'
import * as store from './store.ts'
import { createVerifier, erasedAction, type Fault } from './verify.ts'

const pieceRows = 1000

export type Verdict = {
  base: Link
  head: Link
  records: number
  fault: Fault | undefined
  /** On PostgreSQL: how many committed changes wait for their place in the chain. */
  waiting: number
}

type VerifyOptions = {
  checkpoint?: AuditCheckpoint | undefined
  onProgress?: (done: number, total: number) => void
}

/** The caller holds a transaction open that sees one state of the store. */
export async function verifyStore(db: Db, { checkpoint, onProgress }: VerifyOptions = {}): Promise<Verdict> {
  const { base, head } = await ends(db)
  const entries = (await store.listPending(db)).map((text) => JSON.parse(text) as Entry)
  const pending = entries.flatMap(({ records }) => records)
  const erased = pending.flatMap(({ action, target_id }) => (action === erasedAction ? (target_id ?? []) : []))
  const verifier = createVerifier({ base, checkpoint, erased })
  // From the very first row: a row before the base is as wrong as a missing one.
  let after = Number.MIN_SAFE_INTEGER
  for (;;) {
    const rows = await store.findNextRecords(db, after, pieceRows)
    for (const row of rows) verifier.add(row)
    if (rows.length < pieceRows) return { base, waiting: pending.length, ...verifier.finish() }
    after = Number(rows.at(-1)?.seq)
    onProgress?.(after - base.seq, head.seq - base.seq)
    // SQLite responds synchronously: without a pause, signals would not be handled.
    await new Promise(setImmediate)
  }
}
