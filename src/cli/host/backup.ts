import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { loadConfig } from '../../core/config.ts'
import { OperatorError } from '../../core/errors.ts'
import { counted, duration, megabytes } from '../../lib/amounts.ts'
import { backupRecord } from '../../store/db/sqlite/directory.ts'
import { examples } from '../terminal/examples.ts'
import { interruptible } from '../terminal/interruption.ts'
import { tellOfCopy } from './copy-progress.ts'

export function addBackup(program: Command): void {
  const backup = program
    .command('backup')
    .summary('copy the SQLite store to a file, also while it is served')
    .description(
      'Copies the SQLite store to a file: one consistent state, also while the server runs and writes. The copy is checked before it gets its name, which is printed. Not in it: the file admin-key.',
    )
    .requiredOption('--to <path>', 'a file that is not there yet, or a folder, which gets a file named by the time')
    .option('--data-dir <directory>', 'whose store to copy (default: ROLLBOOK_DATA_DIR)')
    .action(runBackup)
  examples(backup, [
    ['rollbook backup --to backups/', 'a file named by the time, in this folder'],
    [
      'rollbook backup --data-dir /var/lib/rollbook --to /backup/rollbook.db',
      'of another data directory, under this name',
    ],
  ])
}

async function runBackup({ to, dataDir }: { to: string; dataDir?: string }): Promise<void> {
  const { backUp } = await import('../../operations/move/backup.ts')
  const directory = dataDir ?? sqliteDirectory('backup')
  const begun = performance.now()
  const made = await interruptible(async (signal) => {
    const telling = tellOfCopy(signal)
    return backUp(resolve(directory), to, new Date(), telling).finally(telling.end)
  })
  const took = duration(performance.now() - begun)
  process.stderr.write(`Backed up ${counted(made.users, 'user')}, ${megabytes(made.bytes)}, in ${took}.\n`)
  recordBackup(resolve(directory), made.file)
  process.stdout.write(`${made.file}\n`)
}

/** For the metric of the age of the last backup. The backup counts without it: its user may only read there. */
function recordBackup(directory: string, file: string): void {
  try {
    writeFileSync(join(directory, backupRecord), `${file}\n`, { mode: 0o600 })
  } catch (error) {
    process.stderr.write(`The metrics do not know of this backup: ${(error as Error).message}\n`)
  }
}

/** The configured data directory, unless the data is elsewhere. */
export function sqliteDirectory(command: string): string {
  const { databaseUrl, dataDir } = loadConfig(process.env)
  if (databaseUrl === undefined) return dataDir
  throw new OperatorError(
    `rollbook ${command} is for SQLite, and ROLLBOOK_DATABASE_URL names a PostgreSQL database. Use pg_dump and ` +
      'pg_restore for it: docs/postgresql.md says how. With --data-dir, it takes the SQLite store of that directory.',
  )
}
