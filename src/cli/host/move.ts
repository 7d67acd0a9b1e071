import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { loadConfig, settings } from '../../core/config.ts'
import { counted, duration } from '../../lib/amounts.ts'
import type { MovedTable, PostgresPlace, Store, Target } from '../../operations/move/service.ts'
import { examples } from '../terminal/examples.ts'
import { UsageError } from '../terminal/failure.ts'
import { interruptible } from '../terminal/interruption.ts'
import { showProgress } from '../terminal/progress.ts'
import { type Place, readPlace, showsPassword } from './store-address.ts'

type Options = { from: string; to: string; schema?: string; startOver?: true }

export function addMove(program: Command): void {
  const move = program
    .command('move')
    .summary('copy the store from SQLite to PostgreSQL, or back')
    .description(
      'Copies everything from a store of one engine into an empty store of the other, and compares both row by row. Stop all servers of the source first. After an interruption, the same command continues. A store is sqlite:<directory>, postgres://…, or env:<variable> or file:<path> that contain one of these.',
    )
    .requiredOption('--from <store>', 'the store to copy; it is not changed')
    .requiredOption('--to <store>', 'the store to fill')
    .option('--schema <name>', 'the schema in PostgreSQL (default: ROLLBOOK_DATABASE_SCHEMA)', readSchema)
    .option('--start-over', 'empty the target of an unfinished move, and start again')
    .action(runMove)
  examples(move, [
    [
      'rollbook move --from sqlite:./data --to env:ROLLBOOK_DATABASE_URL',
      'move to the database that the variable names',
    ],
    ['rollbook move --from file:/run/secrets/database --to sqlite:./data', 'move back; the file contains postgres://…'],
  ])
}

function readSchema(text: string): string {
  const reading = settings.databaseSchema.kind.read(text)
  if ('value' in reading) return reading.value
  throw new InvalidArgumentError(`It ${reading.faults.join(', and ')}.`)
}

async function runMove(options: Options): Promise<void> {
  const from = readPlace('--from', options.from, process.env)
  const to = readPlace('--to', options.to, process.env)
  if (from.engine === to.engine) {
    const tools = from.engine === 'sqlite' ? 'rollbook backup and rollbook restore' : 'pg_dump and pg_restore'
    throw new UsageError(`Both stores have the same engine. Copy the store with ${tools}.`)
  }
  if (showsPassword(options.from) || showsPassword(options.to)) {
    report('All users of this machine can see a password in an argument. Use env:<variable> or file:<path>.')
  }
  const schema = options.schema ?? loadConfig(process.env).databaseSchema
  const startedAt = performance.now()
  const moved = await interruptible(async (signal) => {
    const now = Date.now()
    const source = await openSource(from, schema)
    try {
      const target = await openTarget(to, schema, now)
      try {
        return await moveShowing(source, target, { now, signal, startOver: options.startOver ?? false })
      } finally {
        await target.close()
      }
    } finally {
      await source.close()
    }
  })
  const rows = moved.reduce((sum, table) => sum + table.rows, 0)
  report(`Moved ${counted(rows, 'row')} in ${duration(performance.now() - startedAt)}. Both stores are identical:`)
  for (const { name, rows, sha256 } of moved) process.stdout.write(`${name}\t${rows}\t${sha256}\n`)
}

async function openSource(place: Place, schema: string): Promise<Store> {
  const { openPostgresSource, openSqliteSource } = await import('../../operations/move/service.ts')
  if (place.engine === 'sqlite') return openSqliteSource(resolve(place.directory))
  return openPostgresSource(postgresPlace(place, schema))
}

async function openTarget(place: Place, schema: string, now: number): Promise<Target> {
  const { openPostgresTarget, openSqliteTarget } = await import('../../operations/move/service.ts')
  if (place.engine === 'sqlite') return openSqliteTarget(resolve(place.directory), now)
  return openPostgresTarget(postgresPlace(place, schema), now)
}

function postgresPlace({ address }: Extract<Place, { engine: 'postgres' }>, schema: string): PostgresPlace {
  return { address, schema, report }
}

async function moveShowing(
  source: Store,
  target: Target,
  options: { now: number; signal: AbortSignal; startOver: boolean },
): Promise<MovedTable[]> {
  const { move } = await import('../../operations/move/service.ts')
  const bars = { copying: showProgress({ label: 'Copying  ' }), comparing: showProgress({ label: 'Comparing' }) }
  try {
    return await move(source, target, {
      ...options,
      onProgress: (step, done, total) => bars[step].update(done, total),
    })
  } catch (error) {
    if (options.signal.aborted) report('The copied rows stay. The same command continues from there.')
    throw error
  } finally {
    bars.comparing.end()
  }
}

function report(text: string): void {
  process.stderr.write(`${text}\n`)
}
