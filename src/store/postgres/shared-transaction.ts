/**
 * Several changes in one transaction on PostgreSQL, next to each other: up to 64 that wait at the same moment and share nothing.
 * They exist because a change alone is mostly a wait for round trips and for the disk. They took creates from 2,221 to 6,088 a
 * second, updates from 2,425 to 4,855; p99 of updates rose from 33 to 80 ms (docs/decisions/speed.md, 0103). A refusal before
 * the first write is final. After anything else, nothing of the transaction remains, and each change runs alone.
 */
import type { PoolClient } from 'pg'
import { AppError } from '../../core/errors.ts'
import type { Rules } from '../../core/rules.ts'
import type { Announcement } from '../context.ts'
import type { SharedStatements, Transaction } from '../db/db.ts'
import { lockKey, postgresDb } from '../db/postgres/connection.ts'
import { isConnectionLost } from '../db/postgres/failures.ts'
import { socketOf } from '../db/postgres/primary.ts'
import { gather } from '../db/postgres/share.ts'
import { type Sql, sql } from '../db/sql.ts'
import { holdRulesVersion } from '../rules/stored-rules.ts'
import type { ChangeHandlers, JournalEntry } from '../storage/registry.ts'
import { type JobOutcome, runJob } from '../storage/run-job.ts'
import type { Job } from '../storage/writer-protocol.ts'
import { commit, isNews, OutdatedRules } from './change.ts'
import { collectTurns, type Way } from './shared-statements.ts'

export type SharedJob = { job: Omit<Job, 'id'>; newId(): string }
export type Made = { outcome: JobOutcome; announced: Announcement[] }

type Shared = {
  handlers: ChangeHandlers
  jobs: readonly SharedJob[]
  schema: string
  channel: string
  rules: Rules
  rulesVersion: string | undefined
  withoutJournal?: boolean | undefined
}

/** The change must run in a transaction of its own. */
class Leaves extends Error {}

/**
 * Runs these changes and commits them together. Undefined for one that had no effect here and must run alone. An error means
 * that none had an effect, except for `outcome_unknown`.
 */
export async function runShared(client: PoolClient, shared: Shared): Promise<(Made | undefined)[]> {
  const { handlers, jobs, schema, channel, rules, rulesVersion, withoutJournal } = shared
  const socket = socketOf(client)
  gather(client)
  const begun = client.query('BEGIN')
  begun.catch(() => {}) // Awaited below; it is sent with the first statements.
  const db = postgresDb(client, schema)
  // As for a change alone; with other rules each runs again in a transaction of its own.
  const version = holdRulesVersion(db, 'shared')
  version.catch(() => {})
  const entries: JournalEntry[] = []
  const openPart = partsOf(db, schema, socket)
  let written = false

  async function run({ job, newId }: SharedJob): Promise<Made | undefined> {
    const announced: Announcement[] = []
    const part = openPart()
    // A refusal before the first write needs no rollback.
    const undo = () => {
      if (part.hasWritten()) throw new Leaves()
    }
    const savepoint = { set() {}, undo, release() {} }
    const announce = (event: Announcement) => announced.push(event)
    const writeJournal = (entry: JournalEntry) => void entries.push(entry)
    try {
      const outcome = await runJob(job, { handlers, db: part.db, rules, savepoint, newId, announce, writeJournal })
      written ||= part.hasWritten()
      return { outcome, announced }
    } catch (error) {
      if (error instanceof Leaves && !part.hasWritten()) return undefined
      throw error
    }
  }

  const ends = await Promise.allSettled(jobs.map(run))
  try {
    await begun
    if ((await version) !== rulesVersion) throw new OutdatedRules('The rules have changed.')
    const outcomes = ends.map((end) => {
      if (end.status === 'rejected') throw end.reason
      return end.value
    })
    if (!written && entries.length === 0) {
      // All were refused. A commit would still count the statement that inserted nothing as a change of the users.
      await client.query('ROLLBACK')
      return outcomes
    }
    const isRevoking = outcomes.some((one) => one?.announced.some(isNews))
    socket.cork()
    const last = Promise.all([
      withoutJournal ? undefined : handlers.journal.writePending(db, entries),
      isRevoking ? db.get(sql`SELECT pg_notify(${channel}, '')`) : undefined,
    ])
    last.catch(() => {}) // They are sent with the commit, which then fails as well.
    const committed = commit(client, last)
    socket.uncork()
    await committed
    return outcomes
  } catch (error) {
    if (!isConnectionLost(error) && !(error instanceof AppError)) await client.query('ROLLBACK')
    throw error
  }
}

/** Returns what opens the handle of one change in the transaction. */
function partsOf(db: Transaction, schema: string, way: Way) {
  const together = collectTurns(db, way)
  /** Names are locked for the whole transaction, so the changes in it have to respect each other's. */
  const owners = new Map<string, object>()

  const tryLocks = async (_: unknown, lists: readonly (readonly string[])[]) => {
    const keys = new Map(lists.flat().map((name) => [name, lockKey(`${schema} ${name}`)]))
    const rows = await db.all<{ key: string; locked: boolean }>(sql`
      SELECT value AS key, pg_try_advisory_xact_lock(value::bigint) AS locked
      FROM json_array_elements_text(${JSON.stringify([...keys.values()])}::json)`)
    const locked = new Set(rows.filter((row) => row.locked).map(({ key }) => key))
    return lists.map((names) => names.every((name) => locked.has(keys.get(name) as string)))
  }

  return () => {
    const owner = {}
    let written = false
    /** Statements without a result so far. Each may write. */
    let pendingWrites = 0
    const rerunAlone = (): never => {
      throw new Leaves()
    }
    async function noteWrite<Result>(sent: Promise<Result>, hasChanged: (result: Result) => boolean): Promise<Result> {
      pendingWrites++
      try {
        const result = await sent
        written ||= hasChanged(result)
        return result
      } finally {
        pendingWrites--
      }
    }
    const shared: SharedStatements = {
      read: together,
      write: (work, input) => noteWrite(together(work, input), (hasChanged) => hasChanged),
      rerunAlone,
    }
    const part: Transaction = {
      engine: db.engine,
      shared,
      get: db.get,
      all: db.all,
      run: (piece) => noteWrite(db.run(piece), (rows) => rows > 0),
      returning: <Row extends object>(piece: Sql) => noteWrite(db.returning<Row>(piece), (rows) => rows.length > 0),
      async lock(names) {
        if (names.some((name) => (owners.get(name) ?? owner) !== owner)) rerunAlone()
        for (const name of names) owners.set(name, owner)
        if (!(await together(tryLocks, names))) rerunAlone()
      },
      // A savepoint would hold what the others write.
      runUnlessTaken: async () => rerunAlone(),
      undoable: async () => rerunAlone(),
      tryLock: async () => rerunAlone(),
    }
    return { db: part, hasWritten: () => written || pendingWrites > 0 }
  }
}
