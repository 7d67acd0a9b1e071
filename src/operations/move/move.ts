/**
 * Copies a store of one engine into an empty one of the other, and compares them row by row. It can be killed at any time:
 * rows are written in key order and in transactions, so the next run continues where the last one stopped.
 */
import { createHash } from 'node:crypto'
import { OperatorError } from '../../core/errors.ts'
import { timestamp } from '../../lib/instant.ts'
import { settlePending } from '../../record/journal/service.ts'
import { listTables } from '../../store/db/catalog.ts'
import type { Db, Transaction } from '../../store/db/db.ts'
import { numbersInCommitOrder } from '../../store/db/dialect.ts'
import { migrations } from '../../store/db/migrate.ts'
import { findMark, type Mark, markTarget, moveMark, refuseHalfMoved } from '../../store/db/move-mark.ts'
import { rawSql, sql } from '../../store/db/sql.ts'
import type { Column, Key, Value } from './rows.ts'
import type { Shape, Store, Target } from './store.ts'
import { leftOutColumns, type Table, tables } from './tables.ts'

type MoveOptions = {
  now: number
  signal: AbortSignal
  /** Deletes what an earlier move has copied, and starts over. */
  startOver: boolean
  onProgress(step: 'copying' | 'comparing', done: number, total: number): void
}

export type MovedTable = { name: string; rows: number; sha256: string }

/** Rows per batch: one to two megabytes of users. */
const batchRows = 2000

/** @throws OperatorError if the target is not empty, or differs from the source at the end */
export async function move(source: Store, target: Target, options: MoveOptions): Promise<MovedTable[]> {
  await requireComplete(source)
  await settleAll(source.db)
  await prepareTarget(source, target, options)
  const shapes = await shapesOf(source, target)

  const { signal, onProgress } = options
  await source.refresh()
  const total = await countAll(source.db)
  const onCopied = tally(await countAll(target.db), (done) => onProgress('copying', done, total))
  for (const shape of shapes) await copyTable(source, target, { shape, signal, onRows: onCopied })
  await target.finish()

  // Read the current state again, to detect changes in the meantime.
  await source.refresh()
  const onCompared = tally(0, (done) => onProgress('comparing', done, total))
  const moved: MovedTable[] = []
  for (const shape of shapes) moved.push(await compareTable(source, target, { shape, signal, onRows: onCompared }))
  await target.exec(`DROP TABLE ${moveMark}`)
  return moved
}

/** This release must know the source's whole schema, or data would be left behind. */
async function requireComplete(source: Store): Promise<void> {
  const { db, place } = source
  await refuseHalfMoved(db)
  const existing = await tableNames(db)
  if (!existing.includes('migrations')) throw new OperatorError(`There is no Rollbook store in ${place}.`)
  const { newer, older } = await compareRelease(db)
  if (newer)
    throw new OperatorError(`The store in ${place} belongs to a newer release (${newer}). Use that release to move it.`)
  if (older) {
    throw new OperatorError(
      `The store in ${place} belongs to an older release. Start this release on it once, stop it, then move.`,
    )
  }
}

/** A killed server can leave entries without numbers. */
async function settleAll(db: Transaction): Promise<void> {
  if (numbersInCommitOrder(db)) return
  for (let entries = 1; entries > 0; ) {
    await db.run(sql`BEGIN`)
    // Any failure ends the move and its connection, and with it the transaction.
    entries = await settlePending(db)
    await db.run(sql`COMMIT`)
  }
}

/** Returns the names of unknown migrations, and whether known ones are missing. */
async function compareRelease(db: Db): Promise<{ newer: string; older: boolean }> {
  const applied = (await db.all<{ name: string }>(sql`SELECT name FROM migrations`)).map(({ name }) => name)
  const newer = applied.filter((name) => !migrations.some((migration) => migration.name === name))
  return { newer: newer.join(', '), older: migrations.some(({ name }) => !applied.includes(name)) }
}

/** Prepares the target: empty and marked, or filled as far as an earlier run of the same move came. */
async function prepareTarget(source: Store, target: Target, { now, startOver }: MoveOptions): Promise<void> {
  const identity = await identityOf(source.db)
  const mark = await findMark(target.db)
  if (mark !== undefined && !startOver) {
    await requireSameMove(target, mark, identity)
    return
  }
  if (mark !== undefined) {
    await target.empty()
    await target.exec(`DROP TABLE ${moveMark}`)
  }
  await refuseRows(target)
  await target.migrate()
  await markTarget(target.db, target, { source: identity, place: source.place, started_at: timestamp(now) })
  try {
    // A server could have started on it just before the mark was there.
    await refuseRows(target)
  } catch (error) {
    await target.exec(`DROP TABLE ${moveMark}`)
    throw error
  }
}

async function requireSameMove({ db, place }: Target, mark: Mark, identity: string): Promise<void> {
  const other = mark.source !== identity
  const { newer, older } = await compareRelease(db)
  if (!other && !newer && !older) return
  throw new OperatorError(
    `A move ${other ? `from another store (${mark.place})` : 'by another release'} into ${place} started at ` +
      `${mark.started_at} and has not finished. Run that move again, or empty the target with --start-over.`,
  )
}

async function refuseRows({ db, place }: Target): Promise<void> {
  const existing = await tableNames(db)
  for (const { name } of tables.filter((table) => existing.includes(table.name))) {
    const rows = await countRows(db, name)
    if (rows === 0) continue
    throw new OperatorError(
      `There is already a store in ${place}, with ${rows} rows in ${name}. It was not changed. Move to another place.`,
    )
  }
}

/**
 * Identifies a store for the next run, wherever it is stored then: the times at which its tables were created. A copy has
 * the same ones; whether it is equal is checked at the end.
 */
async function identityOf(db: Db): Promise<string> {
  const rows = await db.all<{ name: string; applied_at: string }>(
    sql`SELECT name, applied_at FROM migrations ORDER BY name`,
  )
  const text = rows.map(({ name, applied_at }) => `${name} ${applied_at}\n`).join('')
  return createHash('sha256').update(db.engine).update(text).digest('hex')
}

/** Returns the columns that both stores have. It is a bug if one has a column that the other lacks. */
async function shapesOf(source: Store, target: Store): Promise<Shape[]> {
  const shapes: Shape[] = []
  for (const table of tables) {
    const [ours, theirs] = [await columnsOf(source, table), await columnsOf(target, table)]
    const names = [...ours.keys()]
    if (names.length === 0 || names.length !== theirs.size || !names.every((name) => theirs.has(name))) {
      throw new Error(`The table ${table.name} has other columns in ${source.place} than in ${target.place}.`)
    }
    const inOrder = [...table.key, ...names.filter((name) => !table.key.includes(name)).sort()]
    const columns = inOrder.map((name): Column => {
      const kind = ours.get(name) ?? theirs.get(name)
      if (kind === undefined) throw new Error(`The type of ${table.name}.${name} is not known.`)
      return { name, kind }
    })
    shapes.push({ ...table, columns })
  }
  return shapes
}

async function columnsOf(store: Store, { name }: Table) {
  const columns = await store.columns(name)
  for (const own of leftOutColumns[name] ?? []) columns.delete(own)
  return columns
}

/** Adds up and reports the progress. */
function tally(start: number, report: (done: number) => void): (more: number) => void {
  let done = start
  report(done)
  return (more) => {
    done += more
    report(done)
  }
}

type TableCopy = { shape: Shape; signal: AbortSignal; onRows(rows: number): void }

async function copyTable(source: Store, target: Target, { shape, signal, onRows }: TableCopy): Promise<void> {
  let batch = await source.read(shape, await lastKey(target.db, shape), batchRows)
  while (batch.rows > 0) {
    signal.throwIfAborted()
    // Read the next rows while these are written.
    const [, next] = await Promise.all([target.write(shape, batch), source.read(shape, batch.last, batchRows)])
    onRows(batch.rows)
    batch = next
  }
}

/** Reads the table from both stores. Returns the number of rows and the digest of all of them. */
async function compareTable(source: Store, target: Store, { shape, signal, onRows }: TableCopy): Promise<MovedTable> {
  const digest = createHash('sha256')
  let rows = 0
  let after: Key | undefined
  for (;;) {
    signal.throwIfAborted()
    const [there, here] = await Promise.all([
      target.read(shape, after, batchRows),
      source.read(shape, after, batchRows),
    ])
    if (!here.bytes.equals(there.bytes)) throw new OperatorError(differenceOf(shape, after, rows))
    if (here.rows === 0) return { name: shape.name, rows, sha256: digest.digest('hex') }
    digest.update(here.bytes)
    rows += here.rows
    after = here.last
    onRows(here.rows)
  }
}

function differenceOf({ name, key }: Shape, after: Key | undefined, rows: number): string {
  const where = after ? `after ${rows} equal rows (${key.join(', ')} ${after.join(', ')})` : 'from the first row'
  return (
    `The table ${name} differs between the two stores, ${where}. The source was changed after it was copied, ` +
    'or it is another one. The target stays closed. Stop everything that writes to the source, then run the move again ' +
    'with --start-over.'
  )
}

async function lastKey(db: Db, { name, key }: Shape): Promise<Key | undefined> {
  const order = rawSql(key.map((column) => `${column} DESC`).join(', '))
  const row = await db.get<Record<string, Value>>(
    sql`SELECT ${rawSql(key.join(', '))} FROM ${rawSql(name)} ORDER BY ${order} LIMIT 1`,
  )
  return row && key.map((column) => row[column] as Value)
}

async function countAll(db: Db): Promise<number> {
  let rows = 0
  for (const { name } of tables) rows += await countRows(db, name)
  return rows
}

async function countRows(db: Db, table: string): Promise<number> {
  return (await db.get<{ rows: number }>(sql`SELECT count(*) AS rows FROM ${rawSql(table)}`))?.rows ?? 0
}

async function tableNames(db: Db): Promise<string[]> {
  return (await listTables(db)).map(({ name }) => name)
}
