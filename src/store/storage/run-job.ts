import { AppError, type Refusal, toRefusal } from '../../core/errors.ts'
import type { Rules } from '../../core/rules.ts'
import type { Announcement, ChangeContext } from '../context.ts'
import { keepAnswer, replayAnswer, stillRunning } from '../idempotency/service.ts'
import type { ChangeHandlers, JournalEntry } from './registry.ts'
import type { Job } from './writer-protocol.ts'

export type JobOutcome = { result: unknown; replayed?: true } | { refusal: Refusal; replayed?: true }

/** A savepoint of a transaction. */
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
  /** Writes the change's entry to the journal. */
  writeJournal(entry: JournalEntry): void | Promise<void>
  /** Called with announcements to send after the commit. */
  announce(event: Announcement): void
}

/**
 * Runs one change inside a transaction, with what belongs to it: its audit record and events, its revocations, and the
 * response stored for its Idempotency-Key. A refusal is a result; an error means that the savepoint, or the transaction,
 * has to be rolled back.
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
    announce: (event) => addOnce(announced, event),
    record: (entry) => journal.record(entry),
    recordFor: (request, entry) => journal.recordFor(request, entry),
    emit: (event) => journal.emit(event),
    access: handlers.access,
  }
  // The name under which to store the response, once it is certain that none is stored.
  let responseKey: Job['responseKey']
  // Before the savepoint: rolling it back would release the lock while the response still has to be stored.
  if (job.responseKey && !(await db.tryLock(job.responseKey.scope))) return { refusal: toRefusal(stillRunning()) }
  await savepoint.set()
  try {
    const stored = job.responseKey && (await replayAnswer(db, job.responseKey))
    if (stored) {
      await savepoint.release()
      return { ...stored, replayed: true }
    }
    if (!job.dryRun) responseKey = job.responseKey
    const result = await handlers.commands[job.name](ctx, job.input as never)
    if (job.dryRun) await savepoint.undo()
    else {
      if (responseKey) await keepAnswer(ctx, responseKey, { result })
      // After everything the change had to wait for: the journal is in commit order.
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
    if (responseKey && isFinal(error)) await keepAnswer(ctx, responseKey, { refusal: toRefusal(error) })
    await savepoint.release()
    return { refusal: toRefusal(error) }
  }
}

/** Whether a repeated request may get this refusal again. One that asks for a retry is not final, nor is a fault of ours. */
function isFinal({ status, headers }: AppError): boolean {
  return status < 500 && headers['retry-after'] === undefined
}

/**
 * Adds an announcement, unless the same is there already: caches need to hear only once that users have changed. Of several states
 * of the rules the last one counts.
 */
export function addOnce(announced: Announcement[], event: Announcement): void {
  const before = event.kind === 'rules_changed' ? announced.findIndex(({ kind }) => kind === event.kind) : -1
  if (before >= 0) announced.splice(before, 1)
  if (event.kind === 'revoked' || !announced.some(({ kind }) => kind === event.kind)) announced.push(event)
}
