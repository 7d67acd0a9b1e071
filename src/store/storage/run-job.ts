import { AppError, type Refusal, toRefusal } from '../../core/errors.ts'
import type { Announcement, ChangeContext, Rules } from '../context.ts'
import { keepAnswer, replayAnswer, stillRunning } from '../idempotency/service.ts'
import type { ChangeHandlers, JournalEntry } from './registry.ts'
import type { Job } from './writer-protocol.ts'

export type JobOutcome = { result: unknown; replayed?: true } | { refusal: Refusal; replayed?: true }

/** A part of a transaction that can be undone by itself. */
export type Savepoint = {
  set(): void | Promise<void>
  undo(): void | Promise<void>
  release(): void | Promise<void>
}

type Surroundings = {
  handlers: ChangeHandlers
  db: ChangeContext['db']
  rules: Rules
  savepoint: Savepoint
  newId(): string
  /** Writes the entry of the change to the journal. */
  writeJournal(entry: JournalEntry): void | Promise<void>
  /** Called for what others are to be told once the transaction has been committed. */
  announce(event: Announcement): void
}

/**
 * Runs one change inside a transaction, with what belongs to it: its audit record and events, what it revokes, and the
 * answer kept for its Idempotency-Key. A refusal is an outcome; an error says that the savepoint, or the transaction, is
 * still to be undone.
 */
export async function runJob(job: Omit<Job, 'id'>, surroundings: Surroundings): Promise<JobOutcome> {
  const { handlers, db, rules, savepoint, newId } = surroundings
  const { actor, now, requestId, origin } = job
  const announced: Announcement[] = []
  const journal = handlers.journal.collect()
  const ctx: ChangeContext = {
    actor,
    now,
    requestId,
    origin,
    rules,
    db,
    newId,
    announce(event) {
      // A bulk change announces `users_changed` only once.
      const isKnown = event.kind === 'users_changed' && announced.some(({ kind }) => kind === 'users_changed')
      if (!isKnown) announced.push(event)
    },
    record: (entry) => journal.record(entry),
    recordFor: (request, entry) => journal.recordFor(request, entry),
    emit: (event) => journal.emit(event),
  }
  // Under which an answer is to be kept, once it is sure that none is.
  let keep: Job['keep']
  // Before the savepoint: undoing that would let go of the lock while the answer is still to be kept.
  if (job.keep && !(await db.tryLock(job.keep.scope))) return { refusal: toRefusal(stillRunning()) }
  await savepoint.set()
  try {
    const kept = job.keep && (await replayAnswer(db, job.keep))
    if (kept) {
      await savepoint.release()
      return { ...kept, replayed: true }
    }
    if (!job.dryRun) keep = job.keep
    const result = await handlers.commands[job.name](ctx, job.input as never)
    if (job.dryRun) await savepoint.undo()
    else {
      if (keep) await keepAnswer(ctx, keep, { result })
      // Behind everything that the change had to wait for: the order of the journal is that of the commits.
      if (!journal.isEmpty) {
        await surroundings.writeJournal(journal.entry(ctx, newId))
        announced.push({ kind: 'journal' })
      }
      await handlers.recordRevocations(db, announced, now)
    }
    await savepoint.release()
    if (!job.dryRun) announced.forEach(surroundings.announce)
    return { result }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    await savepoint.undo()
    // One that says to try again is no answer yet.
    if (keep && error.status < 500) await keepAnswer(ctx, keep, { refusal: toRefusal(error) })
    await savepoint.release()
    return { refusal: toRefusal(error) }
  }
}
