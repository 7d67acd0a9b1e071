/** One change on PostgreSQL: its transaction, and what is known if the commit gets no response. */
import type { PoolClient } from 'pg'
import { AppError } from '../../core/errors.ts'
import type { Rules } from '../../core/rules.ts'
import type { Announcement } from '../context.ts'
import { postgresDb } from '../db/postgres/connection.ts'
import { isAborted, isConnectionLost } from '../db/postgres/failures.ts'
import { sql } from '../db/sql.ts'
import { holdRulesVersion } from '../rules/stored-rules.ts'
import type { ChangeHandlers, Journal, JournalEntry } from '../storage/registry.ts'
import { runJob } from '../storage/run-job.ts'
import type { Job } from '../storage/writer-protocol.ts'

type Transacted = {
  handlers: ChangeHandlers
  job: Omit<Job, 'id'>
  schema: string
  channel: string
  /** As this node knows them, and their version. */
  rules: Rules
  rulesVersion: string | undefined
  withoutJournal?: boolean | undefined
  newId(): string
}

/** The rules have changed since this node read them, so the change was decided by wrong ones: it was undone, and must run again. */
export class OutdatedRules extends Error {}

/** Whether a transaction is announced to the other nodes, which then look at once. */
export function isNews({ kind }: Announcement): boolean {
  return kind === 'revoked' || kind === 'rules_changed'
}

/**
 * Runs one change as one transaction. An error it throws means no effect, except for `outcome_unknown`.
 *
 * @throws OutdatedRules
 */
export async function runTransaction(client: PoolClient, transacted: Transacted) {
  const { handlers, job, schema, channel, rules, rulesVersion, withoutJournal, newId } = transacted
  const announced: Announcement[] = []
  const begun = client.query('BEGIN')
  begun.catch(() => {}) // Awaited below; it is sent with the first statement.
  if (job.dryRun) await begun
  let undone = false
  const savepoint = {
    // Only a stored response outlives the request.
    async set() {
      if (job.responseKey) await client.query('SAVEPOINT change')
    },
    async undo() {
      if (job.responseKey) await client.query('ROLLBACK TO change')
      else undone = true
    },
    release() {},
  }
  let written: Promise<void> | undefined
  const db = postgresDb(client, schema)
  // Sent before the first statement of the change, and compared when the change is decided, so that nothing waits for it.
  const isOfRules = handlers.ofRules.has(job.name)
  const version = holdRulesVersion(db, isOfRules ? 'alone' : 'shared')
  version.catch(() => {})
  try {
    if (isOfRules) await version // Before it changes the version itself.
    const announce = (event: Announcement) => announced.push(event)
    const writeJournal = (entry: JournalEntry) => {
      if (withoutJournal) return
      written = handlers.journal.writePending(db, [entry])
      written.catch(() => {}) // Not awaited: it is sent with the commit, which then fails as well.
    }
    const outcome = await runJob(job, { handlers, db, rules, savepoint, newId, announce, writeJournal })
    await begun
    if ((await version) !== rulesVersion) throw new OutdatedRules('The rules have changed.')
    if (undone) {
      await client.query('ROLLBACK')
    } else {
      // Nodes that listen read at once; those whose listener was cut off read before long.
      if (announced.some(isNews)) await db.get(sql`SELECT pg_notify(${channel}, '')`)
      await commit(client, written)
    }
    return { outcome, announced }
  } catch (error) {
    if (!isConnectionLost(error) && !(error instanceof AppError)) await client.query('ROLLBACK')
    // The first failure is the cause.
    if (isAborted(error)) await written
    throw error
  }
}

type Settling = { journal: Journal; schema: string; after: number }

/** Gives waiting entries of the journal their places. Returns whether there may be more. */
export async function settleSome(client: PoolClient, { journal, schema, after }: Settling): Promise<boolean> {
  const begun = client.query('BEGIN')
  begun.catch(() => {}) // As above.
  try {
    const count = await journal.settlePending(postgresDb(client, schema), after)
    await begun
    await commit(client, undefined)
    return count === journal.settleLimit
  } catch (error) {
    if (!isConnectionLost(error) && !(error instanceof AppError)) await client.query('ROLLBACK')
    throw error
  }
}

/**
 * `last` are the statements sent together with it.
 *
 * @throws AppError `outcome_unknown` unless the server confirms without doubt that the transaction is committed
 */
export async function commit(client: PoolClient, last: Promise<unknown> | undefined): Promise<void> {
  let command: string
  try {
    command = (await withoutDoubt(client, () => client.query('COMMIT'))).command
  } catch (error) {
    throw isInDoubt(error) ? outcomeUnknown(error) : error
  }
  if (command === 'COMMIT') return
  await last // It failed, and says why.
  throw new Error(`The transaction ended in ${command}.`)
}

function isInDoubt(error: unknown): boolean {
  const { code, message } = error as Error & { code?: string }
  // `pg` sends nothing on a connection that it knows to be broken.
  if (/is not queryable$/.test(message)) return false
  return isConnectionLost(error) || code === '40003' // statement_completion_unknown
}

/**
 * A server that stops waiting for its standby responds with a warning and otherwise as usual; the change may be lost in
 * the next failover.
 *
 * @throws AppError `outcome_unknown`
 */
export async function withoutDoubt<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  let doubt: unknown
  const onNotice = (notice: unknown) => {
    doubt = notice
  }
  client.on('notice', onNotice)
  try {
    const result = await work()
    if (doubt !== undefined) throw outcomeUnknown(doubt)
    return result
  } finally {
    client.off('notice', onNotice)
  }
}

function outcomeUnknown(cause: unknown): AppError {
  const detail =
    'The database did not confirm the commit, so the change may have happened. Repeat the request with the same Idempotency-Key, or read the resource before you repeat it.'
  return new AppError('outcome_unknown', detail, { retryAfterSeconds: 2, cause })
}
