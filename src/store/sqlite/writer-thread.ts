/** The thread that owns the write connection. It runs the changes it receives, many in one commit. */
import { renameSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { parentPort, receiveMessageOnPort } from 'node:worker_threads'
import { AppError, type Refusal, toRefusal } from '../../core/errors.ts'
import { greatestId, uuidv7Maker } from '../../lib/uuidv7.ts'
import type { Announcement } from '../context.ts'
import { migrate, migrations } from '../db/migrate.ts'
import { sql } from '../db/sql.ts'
import { openConnection } from '../db/sqlite/connection.ts'
import { NoRoom, storageRefusal } from '../db/sqlite/failures.ts'
import { commitLazily, withoutSync } from '../db/sqlite/lazy-commit.ts'
import { emptyLog, vacuum } from '../db/sqlite/scrub.ts'
import { syncNames } from '../db/sqlite/sync.ts'
import type { ChangeHandlers, JournalEntry, Upkeep } from '../storage/registry.ts'
import { addOnce, runJob, type Savepoint } from '../storage/run-job.ts'
import type { Chore, Fault, Job, Outcome, WriterMessage, WriterSetup } from '../storage/writer-protocol.ts'
import { indexSchedule } from './index-schedule.ts'
import { keepLog, type LogLengths } from './log-keeper.ts'

/** A larger commit would only delay its first changes. */
const batchLimit = 512
/** Renumbering pauses while more rows than this wait for the search index: searches read each of them. */
const waitingBeforeRoom = 2000
/** A store of this size is rewritten in a fifth of a second; SQLite holds it in memory meanwhile. */
const vacuumedBytes = 32 * 1024 * 1024

/** After a hasty commit had to be repeated, this many run carefully: the cause may recur. */
const carefulAfterHaste = 64

type Done = { outcomes: Outcome[]; announcements: Announcement[] }
/** How the jobs of a commit are run. */
type Way = {
  part: Savepoint
  writeJournal(entry: JournalEntry): void | Promise<void>
  /** Called after the last job: adds those that have arrived meanwhile. */
  takeMore?(): void
  /** Before the commit. */
  finish(): void | Promise<void>
}
type RunWay = Pick<Way, 'part' | 'writeJournal'> & { announce(event: Announcement): void }
/** A job must be undone that has written something, and there is no savepoint. */
class Hasty extends Error {}

type Budget = LogLengths & {
  /**
   * At how many pages (of 4 KiB) a commit writes the log back, and changes wait: a reader or a full disk may have kept it from
   * restarting.
   */
  mostLogPages: number
  cacheKiB: number
}
/** Whenever SQLite has moved rows between pages, a commit looks at every page of its cache, which took 150 µs with 64 MiB. */
const [ofFewRows, ofManyRows] = [
  { passPages: 12_000, restartPages: 24_000, mostLogPages: 48_000, cacheKiB: 8192 },
  // Few pages are written twice, and writing back 12,000 took a fifth of an import.
  { passPages: 48_000, restartPages: 48_000, mostLogPages: 60_000, cacheKiB: 65_536 },
] as const satisfies Budget[]
/** How long after a change of many rows another one is expected. */
const manyMs = 5000

type Parked = { job: Job; userIds: readonly string[] }
type Sent = Job[] | Chore | 'close'
type ChoreOutcome = { result: boolean } | { refusal: Refusal }

const port = parentPort as NonNullable<typeof parentPort>
let handlers: ChangeHandlers
let upkeep: Upkeep
let onMessage: (message: unknown) => unknown = awaitSetup

/** Serves the main thread. Called once, by the module that the thread starts with. */
export function runWriterThread(changeHandlers: ChangeHandlers & { upkeep: Upkeep }): void {
  handlers = changeHandlers
  upkeep = changeHandlers.upkeep
  port.on('message', (message) => onMessage(message))
}

function send(message: WriterMessage): void {
  port.postMessage(message)
}

/** Without a store: waits for the order to open one, or to end. */
function awaitSetup(message: unknown): unknown {
  return message === 'end' ? port.close() : serve(message as WriterSetup)
}

/** Builds the store of a first start. It gets its name when it is complete and on the disk. */
async function buildStore({ path, draft, startedAt }: WriterSetup): Promise<string[]> {
  if (draft === undefined) return []
  const connection = openConnection({ path: draft })
  const migrated = await migrate(connection, startedAt)
  connection.close()
  renameSync(draft, path)
  syncNames(path)
  return migrated
}

async function serve(setup: WriterSetup): Promise<void> {
  const built = await buildStore(setup)
  // A migration may change every user: with the smaller cache it writes the same pages again and again.
  const connection = openConnection({ path: setup.path, cacheKiB: ofManyRows.cacheKiB })
  const prepare = (text: string) => {
    const statement = connection.raw.prepare(text)
    statement.setReadBigInts(true) // See connection.run.
    return statement
  }
  const [start, commit, rollback] = [prepare('BEGIN IMMEDIATE'), prepare('COMMIT'), prepare('ROLLBACK')]
  const [set, release, undo] = [prepare('SAVEPOINT change'), prepare('RELEASE change'), prepare('ROLLBACK TO change')]
  const savepoint = { set: () => void set.run(), undo: () => void undo.run(), release: () => void release.run() }
  /** For a single job in its transaction. */
  const whole: Savepoint = {
    set() {},
    undo() {
      rollback.run()
      start.run()
    },
    release() {},
  }

  const reportMigration = (message: string) => send({ kind: 'migrating', message })
  const migrated = [...built, ...(await migrate(connection, setup.startedAt, migrations, reportMigration))]
  // Only our own ids: imported ids may be greater than any of ours.
  const last = await connection.get<{ user_id: string | null }>(sql`
    SELECT max(user_id) AS user_id FROM users WHERE user_id < ${greatestId(setup.startedAt)}`)
  const makeId = uuidv7Maker(last?.user_id ?? undefined)
  await connection.alone(() => upkeep.prepareIndex(connection))

  const { journal } = handlers
  const writeJournal = (...entries: JournalEntry[]) =>
    setup.withoutJournal || entries.length === 0 ? undefined : journal.append(connection, entries)

  let queue: Job[] = []
  /** Changes that need room first, and the work that makes it for the first of them. */
  let parked: Parked[] = []
  let room: ReturnType<Upkeep['makeRoom']> | undefined
  let chores: Chore[] = []
  let scheduled = false
  let closing = false
  let indexTimer: NodeJS.Timeout | undefined
  let budget: Budget = ofFewRows
  let manyUntil = 0
  /** How many more commits run carefully. */
  let carefulBatches = 0
  let pendingSearch = await upkeep.countPending(connection)
  const schedule = indexSchedule()
  useBudget(ofFewRows)
  const log = keepLog({
    connection,
    path: setup.path,
    onDone: () => chores.length > 0 && runSoon(),
    onFault: (fault) => send({ kind: 'log_fault', fault }),
  })

  onMessage = (message) => {
    enqueue(message as Sent)
    runSoon()
  }
  send({ kind: 'ready', migrated })
  // Node holds in memory what it read from the cache until then.
  flushCompileCache()
  schedule.changed(performance.now(), pendingSearch)
  indexWhenQuiet()

  function enqueue(message: Sent): void {
    if (message === 'close') closing = true
    else if ('chore' in message) chores.push(message)
    else queue.push(...message)
  }

  function runSoon(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(runBatch)
  }

  /** Collects what has arrived since the last turn: the more changes share a commit, the less each costs. */
  function gather(): void {
    for (let sent = receiveMessageOnPort(port); sent !== undefined; sent = receiveMessageOnPort(port))
      enqueue(sent.message)
  }

  async function runBatch(): Promise<void> {
    gather()
    const batch = queue.slice(0, batchLimit)
    queue = queue.slice(batchLimit)
    if (batch.length > 0) send({ kind: 'done', ...(await commitTogether(batch)) })
    if (queue.length === 0 && chores.length > 0 && !log.isBusy) doChores()
    if (batch.length > 0) schedule.changed(performance.now(), pendingSearch)
    if (schedule.isOverdue(performance.now())) await indexStepNow()
    else if (parked.length > 0) await roomStepNow()
    log.look(budget)
    goOn()
  }

  function goOn(): void {
    scheduled = false
    if (queue.length > 0) runSoon()
    else if (closing && chores.length === 0) void close()
    else if (parked.length > 0) runSoon()
    else indexWhenQuiet()
  }

  /** Runs jobs and commits them with one fsync, or none; only then are they acknowledged. */
  async function commitTogether(batch: Job[]): Promise<Done> {
    // Decided before the transaction: SQLite does not change it inside.
    return batch.every(isProvisional) ? withoutSync(connection, () => commitOrRefuse(batch)) : commitOrRefuse(batch)
  }

  function isProvisional({ name, dryRun, responseKey }: Job): boolean {
    return handlers.provisional.has(name) && !dryRun && responseKey === undefined
  }

  async function commitOrRefuse(batch: Job[]): Promise<Done> {
    try {
      if (isHasty(batch)) {
        const done = await commitHastily(batch)
        if (done !== undefined) return done
      }
      // A single job in its transaction needs no savepoint.
      return await commitAll(batch, { part: batch.length === 1 ? whole : savepoint, writeJournal, finish() {} })
    } catch (error) {
      // The whole transaction is lost (a full disk, an I/O error), so none of its changes happened.
      if (connection.raw.isTransaction) rollback.run()
      const refusal = storageRefusal(error)
      const outcome = refusal ? { refusal: toRefusal(refusal) } : { fault: faultOf(error) }
      return { outcomes: batch.map(({ id }) => ({ id, ...outcome })), announcements: [] }
    }
  }

  function isHasty(batch: Job[]): boolean {
    if (carefulBatches > 0) carefulBatches--
    else return batch.length > 1 && batch.every(mayHurry)
    return false
  }

  function mayHurry({ name, dryRun }: Job): boolean {
    return handlers.besideJournal.has(name) && !dryRun
  }

  /**
   * Without savepoints, for which SQLite copies each page before it changes, and with the journal of all jobs written at
   * the end. Nearly every refusal comes before the job has written anything. If one comes later, this returns undefined
   * after undoing everything.
   */
  async function commitHastily(batch: Job[]): Promise<Done | undefined> {
    const entries: JournalEntry[] = []
    let before = 0
    const part: Savepoint = {
      set() {
        before = connection.written() + entries.length
      },
      undo() {
        if (connection.written() + entries.length !== before) throw new Hasty()
      },
      release() {},
    }
    const way: Way = {
      part,
      writeJournal: (entry) => void entries.push(entry),
      takeMore: () => addArrived(batch),
      finish: () => writeJournal(...entries),
    }
    try {
      return await commitAll(batch, way)
    } catch (error) {
      if (storageRefusal(error)) throw error
      if (connection.raw.isTransaction) rollback.run()
      carefulBatches = carefulAfterHaste
      return undefined
    }
  }

  /** Adds jobs to a hasty commit, in their order, up to one that may not take part. */
  function addArrived(batch: Job[]): void {
    gather()
    const room = batchLimit - batch.length
    const isUnsynced = batch.every(isProvisional)
    const other = queue.slice(0, room).findIndex((job) => !mayHurry(job) || (isUnsynced && !isProvisional(job)))
    batch.push(...queue.splice(0, other === -1 ? room : other))
  }

  function setBudget(batch: Job[]): void {
    const now = performance.now()
    if (batch.some(({ name }) => handlers.ofManyRows.has(name))) manyUntil = now + manyMs
    const next = now < manyUntil ? ofManyRows : ofFewRows
    if (next === budget) return
    useBudget(next)
  }

  function useBudget(next: Budget): void {
    budget = next
    connection.exec(`PRAGMA wal_autocheckpoint = ${next.mostLogPages}; PRAGMA cache_size = -${next.cacheKiB}`)
  }

  async function commitAll(batch: Job[], { part, writeJournal, takeMore, finish }: Way): Promise<Done> {
    const outcomes: Outcome[] = []
    const announcements: Announcement[] = []
    const withoutRoom: Parked[] = []
    setBudget(batch)
    start.run()
    // The batch may grow meanwhile.
    for (const job of batch) {
      const outcome = await runOne(job, { part, writeJournal, announce: (event) => addOnce(announcements, event) })
      if (outcome instanceof NoRoom) withoutRoom.push({ job, userIds: outcome.userIds })
      else outcomes.push(outcome)
      if (job === batch.at(-1)) takeMore?.()
    }
    await finish()
    commit.run()
    parked.push(...withoutRoom)
    pendingSearch += outcomes.filter((outcome) => 'result' in outcome && outcome.replayed !== true).length
    return { outcomes, announcements }
  }

  async function runOne(job: Job, { part, writeJournal, announce }: RunWay): Promise<Outcome | NoRoom> {
    const newId = () => makeId(job.now)
    try {
      const { rules } = setup
      return {
        id: job.id,
        ...(await runJob(job, { handlers, db: connection, rules, savepoint: part, newId, announce, writeJournal })),
      }
    } catch (error) {
      // Without its transaction there is no savepoint to return to: the batch is lost.
      if (!connection.raw.isTransaction || storageRefusal(error)) throw error
      await part.undo()
      await part.release()
      return error instanceof NoRoom ? error : { id: job.id, fault: faultOf(error) }
    }
  }

  /** Requests for the same work share one result. */
  function doChores(): void {
    const done = new Map<Chore['chore'], ChoreOutcome>()
    const requested = chores
    chores = []
    const outcomes = requested.map(({ id, chore }): Outcome => {
      const result = done.get(chore) ?? doChore(chore)
      done.set(chore, result)
      return { id, ...result }
    })
    send({ kind: 'done', outcomes, announcements: [] })
  }

  function doChore(chore: Chore['chore']): ChoreOutcome {
    try {
      return { result: chore === 'vacuum' ? vacuum(connection, vacuumedBytes) : emptyLog(connection) }
    } catch (error) {
      const refusal = storageRefusal(error)
      if (refusal === undefined) throw error
      return { refusal: toRefusal(refusal) }
    }
  }

  function indexWhenQuiet(): void {
    clearTimeout(indexTimer)
    const at = schedule.quietAt()
    if (at === undefined) return
    indexTimer = setTimeout(
      async () => {
        if (scheduled) return // The current batch sets the timer again.
        scheduled = true
        await indexStepNow()
        log.look(budget)
        goOn()
      },
      Math.max(0, at - performance.now()),
    )
  }

  async function indexStepNow(): Promise<void> {
    try {
      const { rows, isMerging } = await commitLazily(connection, () => upkeep.indexStep(connection))
      pendingSearch = rows < upkeep.rowsInStep ? 0 : Math.max(1, pendingSearch - rows)
      schedule.stepped(pendingSearch, isMerging)
    } catch (error) {
      // A storage fault also fails the next change; meanwhile the waiting rows are still found one by one.
      if (!storageRefusal(error)) throw error
      schedule.failed(performance.now())
    }
  }

  /** Makes some room for the first parked change; once there is enough for all its users, all parked changes run again, it first. */
  async function roomStepNow(): Promise<void> {
    if (pendingSearch > waitingBeforeRoom && !schedule.isPaused(performance.now())) return indexStepNow()
    try {
      room ??= upkeep.makeRoom(connection, (parked[0] as Parked).userIds)
      start.run()
      const { done } = await room.next()
      commit.run()
      pendingSearch += 2 * upkeep.movedAtOnce
      schedule.changed(performance.now(), pendingSearch)
      if (!done) return
      queue.unshift(...parked.map(({ job }) => job))
      parked = []
      room = undefined
    } catch (error) {
      if (connection.raw.isTransaction) rollback.run()
      const refusal = storageRefusal(error)
      if (!refusal) throw error
      refuseParked(refusal)
    }
  }

  function refuseParked(refusal: AppError): void {
    send({
      kind: 'done',
      outcomes: parked.map(({ job }) => ({ id: job.id, refusal: toRefusal(refusal) })),
      announcements: [],
    })
    parked = []
    room = undefined
  }

  async function close(): Promise<void> {
    clearTimeout(indexTimer)
    refuseParked(
      new AppError('storage_unavailable', 'The service is stopping; nothing was changed. Try again.', {
        retryAfterSeconds: 5,
      }),
    )
    // The last connection to close writes the log back.
    await log.end()
    connection.close()
    onMessage = awaitSetup
    send({ kind: 'closed' })
  }
}

function faultOf(error: unknown): Fault {
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  return { message, stack }
}
