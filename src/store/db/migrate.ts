import { OperatorError } from '../../core/errors.ts'
import { timestamp } from '../../lib/instant.ts'
import { hasColumn, hasTable, listTables } from './catalog.ts'
import type { Db, Transaction } from './db.ts'
import { migrations } from './migrations/all.ts'
import type { Migration } from './migrations/migration.ts'
import { refuseHalfMoved } from './move-mark.ts'
import { sql } from './sql.ts'

export { migrations }

/** A connection without other users. */
export type MigratedStore = Transaction & {
  exec(text: string): void | Promise<void>
  /** Runs the work in a transaction; no other process migrates at the same time. */
  alone<T>(work: () => Promise<T>): Promise<T>
}

/**
 * Brings the schema up to date in one transaction. Returns the names of the migrations that ran. Refuses a store that a
 * newer release changed incompatibly, and one that a move has not finished filling. With many records a migration takes
 * minutes: `report` gets a message before each one and at the end, unless the store is new.
 */
export async function migrate(
  store: MigratedStore,
  now: number,
  steps = migrations,
  report: (message: string) => void = () => {},
): Promise<string[]> {
  // Most starts find nothing to do and need not wait for others.
  if (await isMigrated(store, steps)) return []
  const began = performance.now()
  let isUpgrade = false
  const ran = await store.alone(async () => {
    await prepareRecord(store)
    const applied = await readApplied(store)
    refuseUnknown(applied, steps)
    const missing = steps.filter(({ name }) => !applied.some((row) => row.name === name))
    isUpgrade = applied.length > 0
    for (const [index, step] of missing.entries()) {
      if (isUpgrade) report(`migrating the store, ${index + 1} of ${missing.length}: ${step.name}`)
      for (const statement of step[store.engine]) await store.exec(statement)
      await step.fill?.(store)
      await store.run(
        sql`INSERT INTO migrations (name, applied_at, needs) VALUES (${step.name}, ${timestamp(now)}, ${step.needs})`,
      )
    }
    return missing.map(({ name }) => name)
  })
  if (isUpgrade && ran.length > 0) report(`migrated the store in ${((performance.now() - began) / 1000).toFixed(1)} s`)
  return ran
}

/**
 * Whether nothing is left to migrate.
 *
 * @throws OperatorError for a store that this release must not use
 */
export async function isMigrated(store: Db, steps: readonly Migration[] = migrations): Promise<boolean> {
  await refuseHalfMoved(store)
  await refusePart(store, steps)
  return isUpToDate(store, steps)
}

/**
 * A store with missing tables was damaged, or restored in part.
 *
 * @throws OperatorError before anything is changed
 */
async function refusePart(store: Db, steps: readonly Migration[]): Promise<void> {
  // Read the record of migrations first: another node may migrate between the two reads.
  const hasRecord = await hasTable(store, 'migrations')
  const applied = hasRecord ? await store.all<{ name: string }>(sql`SELECT name FROM migrations`) : []
  const present = new Set((await listTables(store)).map(({ name }) => name))
  const names = steps
    .filter(({ name }) => applied.some((row) => row.name === name))
    .flatMap((step) => tablesOf(step, store))
  const missing = names.filter((name) => !present.has(name))
  if (missing.length > 0) {
    throw new OperatorError(
      `The store is damaged: it lacks the table ${missing.join(', ')}. Nothing was changed. Restore a backup (docs/backup.md).`,
    )
  }
  if (applied.length > 0 || (!hasRecord && present.has('migrations'))) return
  const own = steps.flatMap((step) => tablesOf(step, store)).filter((name) => present.has(name))
  if (own.length === 0 && !hasRecord) return
  const found = hasRecord
    ? 'the table migrations is empty'
    : `it has the table ${own.slice(0, 3).join(', ')} but no table migrations`
  throw new OperatorError(
    `The store is not complete, or belongs to another program: ${found}. Nothing was changed. Restore a backup ` +
      '(docs/backup.md), or choose another directory, database or schema.',
  )
}

function tablesOf(step: Migration, { engine }: Db): string[] {
  return step[engine].flatMap((text) =>
    [...text.matchAll(/CREATE (?:VIRTUAL )?TABLE (\w+)/g)].map(([, name]) => String(name)),
  )
}

type Applied = { name: string; needs: string }

async function isUpToDate(db: Db, steps: readonly Migration[]): Promise<boolean> {
  if (!(await hasTable(db, 'migrations')) || !(await hasColumn(db, 'migrations', 'needs'))) return false
  const applied = await readApplied(db)
  refuseUnknown(applied, steps)
  return steps.every(({ name }) => applied.some((row) => row.name === name))
}

async function prepareRecord(store: MigratedStore): Promise<void> {
  const text = store.engine === 'sqlite' ? 'TEXT' : 'text COLLATE "C"'
  await store.exec(`CREATE TABLE IF NOT EXISTS migrations (
    name ${text} PRIMARY KEY, applied_at ${text} NOT NULL, needs ${text} NOT NULL DEFAULT ''
  )`)
  if (!(await hasColumn(store, 'migrations', 'needs'))) {
    await store.exec(`ALTER TABLE migrations ADD COLUMN needs ${text} NOT NULL DEFAULT ''`)
  }
}

function readApplied(db: Db): Promise<Applied[]> {
  return db.all<Applied>(sql`SELECT name, needs FROM migrations ORDER BY name`)
}

/** Newer migrations are fine if they require no more than is known here. */
function refuseUnknown(applied: readonly Applied[], steps: readonly Migration[]): void {
  const isKnown = (name: string) => steps.some((step) => step.name === name)
  const beyond = applied.filter(({ name, needs }) => !isKnown(name) && !isKnown(needs))
  if (beyond.length === 0) return
  const names = beyond.map(({ name }) => name).join(', ')
  throw new OperatorError(`The store was migrated by a newer release (${names}); start that release instead.`)
}
