/** Imports the rows of a file while it arrives: reads and validates one batch while the previous one is committed. */

import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Actor } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import type { Rules } from '../../core/rules.ts'
import { readDefinitions } from '../../directory/attributes/service.ts'
import type { Hasher } from '../../directory/passwords/service.ts'
import {
  type Arrival,
  directoryOf,
  type FactorWriter,
  judgeRows,
  type Verdict,
  type Write,
} from '../../directory/users/service.ts'
import type { ChangeRequest, Storage } from '../../store/storage/storage.ts'
import { groupsForImport } from '../groups/service.ts'
import { digestOfRow } from './digest.ts'
import type { KeepTotp } from './factors.ts'
import type { ImportOptions, Progress } from './imports.ts'
import type { Overlay } from './overlay.ts'
import { hashPasswords } from './passwords.ts'
import { type ReadRow, readRow } from './row.ts'
import type { SentRow } from './rows.ts'

/** About 60 ms of the writer thread, which is how long another change may have to wait. Half the size costs a sixth more. */
const rowsInBatch = 800
/** Smaller with passwords: hashing takes time, and hashes should be stored soon. */
const passwordsInBatch = 40
/** After this many rows, reads get a turn: half a millisecond. */
const rowsInTurn = 50
const [triesWhenBusy, pauseWhenBusyMs] = [6, 50]

export type Feed = {
  storage: Storage
  hasher: Hasher
  productName: string
  hashesAtOnce: number
  actor: Actor
  roles: Rules['roles']
  keepTotp: KeepTotp
  factors: Pick<FactorWriter, 'findOwners'>
  /** Checks the caller again for each batch, and refuses one who lost the permission. */
  request(): Promise<ChangeRequest>
  /** For a dry run: the result of its rows so far. */
  overlay: Overlay | undefined
  newId(): string
  /** Epoch milliseconds. */
  now(): number
  signal: AbortSignal
}

export type Job = { job_id: string; options: ImportOptions; progress: Progress }
export type Part = {
  rows: AsyncIterable<SentRow[]>
  fromRow: number
  /** How many lines of the file precede the lines of the rows; null if unknown. */
  fromLine: number | null
  isLast: boolean
}

type Batch = { after: number; arrivals: Arrival[]; digest: string | null }

/**
 * @throws AppError `import_gap`, `import_mismatch`, `import_busy`, `import_cancelled`, `import_finished`, and the reasons for which a request ends
 */
export async function feed(parts: Feed, job: Job, part: Part): Promise<void> {
  const { rows_done } = job.progress
  if (part.fromRow > rows_done) {
    throw new AppError(
      'import_gap',
      `Rows before this part have not arrived. Send the file from row ${rows_done + 1} on: from_row=${rows_done}.`,
    )
  }
  let committing: Promise<void> = Promise.resolve()
  let ready: Batch | undefined
  let after = rows_done
  try {
    for await (const batch of batches(parts, job, part)) {
      if (ready !== undefined) {
        await committing
        committing = importBatch(parts, job, ready, false)
        // The failure is handled when the next batch is ready.
        committing.catch(() => {})
      }
      ready = { after, ...batch }
      after += batch.arrivals.length
    }
    await committing
  } catch (error) {
    // Whether the pending batch was committed decides how far the import is.
    await committing.catch(() => {})
    throw error
  }
  if (ready !== undefined) return importBatch(parts, job, ready, part.isLast)
  if (part.isLast && job.progress.state !== 'done') {
    await importBatch(parts, job, { after, arrivals: [], digest: job.progress.digest }, true)
  }
}

/** Yields the remaining rows in batches, with the digest of everything up to their end. */
async function* batches(
  parts: Feed,
  { options, progress }: Job,
  { rows, fromRow, fromLine, isLast }: Part,
): AsyncGenerator<Omit<Batch, 'after'>> {
  const rules = {
    keepTotp: parts.keepTotp,
    roles: parts.roles,
    mode: options.mode,
    match: options.match,
    now: parts.now(),
  }
  let row = fromRow
  // For a part that starts later, the earlier rows are unknown, and so is their digest.
  let digest: string | null = fromRow === 0 ? '' : null
  if (fromRow === progress.rows_done) digest = progress.digest
  let reading: ReadRow[] = []
  let passwords = 0
  const finish = async () => {
    const read = reading
    reading = []
    passwords = 0
    return { arrivals: await withPasswords(parts, options, read), digest }
  }
  for await (const piece of rows) {
    parts.signal.throwIfAborted()
    for (const sent of piece) {
      row++
      if (digest !== null) digest = digestOfRow(digest, sent)
      if (row <= progress.rows_done) {
        if (row === progress.rows_done) {
          refuseOther(digest, progress.digest)
          digest = progress.digest ?? digest
        }
        if (row % 1000 === 0) await nextTurn()
        continue
      }
      const line = fromLine === null ? null : fromLine + sent.line
      const read = readRow(sent, { row, line }, rules)
      reading.push(read)
      if (read.clear !== undefined) passwords++
      if (reading.length === rowsInBatch || passwords === passwordsInBatch) yield await finish()
      else if (row % rowsInTurn === 0) await nextTurn()
    }
  }
  // Whatever the last line contains: a truncated file must not look complete.
  if (isLast && row < progress.rows_done) throw otherFile()
  if (reading.length > 0) yield await finish()
}

function refuseOther(digest: string | null, known: string | null): void {
  if (digest === null || known === null || digest === known) return
  throw otherFile()
}

function otherFile(): AppError {
  return new AppError('import_mismatch', 'This file differs from the one the import was started with.')
}

function withPasswords(parts: Feed, { match, dry_run }: ImportOptions, rows: readonly ReadRow[]): Promise<Arrival[]> {
  const { hasher, productName, hashesAtOnce: atOnce, signal } = parts
  return hashPasswords(rows, directoryFor(parts), { hasher, productName, atOnce }, { match, dryRun: dry_run, signal })
}

function directoryFor({ storage, actor, overlay, factors }: Feed) {
  const ctx = { db: storage.db, actor }
  const directory = directoryOf(ctx, groupsForImport(ctx), factors)
  return overlay === undefined ? directory : overlay.over(directory)
}

async function importBatch(parts: Feed, { job_id, options }: Job, batch: Batch, isLast: boolean): Promise<void> {
  parts.signal.throwIfAborted()
  for (let tries = 1; ; tries++) {
    const request = await parts.request()
    try {
      const judged = options.dry_run ? await judgeOnly(parts, options, batch, request) : undefined
      const input = { job_id, options, isLast, ...batch, ...(judged && { verdicts: judged.verdicts }) }
      await parts.storage.change('imports.advance', input, request)
      if (judged) parts.overlay?.put(judged.writes, batch.after + batch.arrivals.length)
      return
    } catch (error) {
      // Another change took a name, or there is no room: the batch had no effect.
      if (!(error instanceof AppError) || error.code !== 'overloaded' || tries === triesWhenBusy) throw error
      await sleep(pauseWhenBusyMs * tries, undefined, { signal: parts.signal })
    }
  }
}

/** Returns what would happen to the rows, and their result. */
async function judgeOnly(
  parts: Feed,
  options: ImportOptions,
  batch: Batch,
  request: ChangeRequest,
): Promise<{ verdicts: Verdict[]; writes: Write[] }> {
  const { actor, now } = request
  const existing = options.mode === 'update' ? 'update' : options.on_conflict
  const definitions = await readDefinitions(parts.storage.db)
  const ctx = { actor, now, rules: { ...parts.storage.rules, roles: parts.roles }, newId: parts.newId, definitions }
  const directory = directoryFor(parts)
  const { verdicts, writes } = await judgeRows(ctx, directory, batch.arrivals, { existing, match: options.match })
  const createdIds = new Set(writes.flatMap(({ isMade, next }) => (isMade ? [next.user_id] : [])))
  const isMade = (userId: string) => createdIds.has(userId) || parts.overlay?.isMade(userId)
  // A temporary id belongs to no user.
  const results = verdicts.map((one): Verdict => {
    return 'user_id' in one && one.user_id !== null && isMade(one.user_id) ? { ...one, user_id: null } : one
  })
  return { verdicts: results, writes }
}
