import { chownSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { loadConfig } from '../../core/config.ts'
import { OperatorError } from '../../core/errors.ts'
import { counted, duration, megabytes } from '../../lib/amounts.ts'
import { backupRecord } from '../../store/db/sqlite/directory.ts'
import { examples } from '../terminal/examples.ts'
import { interruptible } from '../terminal/interruption.ts'
import { showCopy } from './copy-progress.ts'

export function addBackup(program: Command): void {
  const backup = program
    .command('backup')
    .summary('copy the SQLite store to a file, even while the server runs')
    .description(
      'Copies one consistent snapshot of the SQLite store to a file. The server may run meanwhile. The copy is checked before it gets its name, which is printed. It does not contain the file admin-key.',
    )
    .requiredOption('--to <path>', 'a new file, or a directory for a file named after the current time')
    .option('--data-dir <directory>', 'data directory of the store (default: ROLLBOOK_DATA_DIR)')
    .action(runBackup)
  examples(backup, [
    ['rollbook backup --to backups/', 'write a file named after the current time'],
    [
      'rollbook backup --data-dir /var/lib/rollbook --to /backup/rollbook.db',
      'back up another data directory to this file',
    ],
  ])
}

async function runBackup({ to, dataDir }: { to: string; dataDir?: string }): Promise<void> {
  const { backUp } = await import('../../operations/move/service.ts')
  const directory = dataDir ?? sqliteDirectory('backup')
  const startedAt = performance.now()
  const backup = await interruptible(async (signal) => {
    const copying = showCopy(signal)
    return backUp(resolve(directory), to, new Date(), copying).finally(copying.end)
  })
  const took = duration(performance.now() - startedAt)
  process.stderr.write(`Backed up ${counted(backup.users, 'user')}, ${megabytes(backup.bytes)}, in ${took}.\n`)
  recordBackup(resolve(directory), backup.file)
  process.stdout.write(`${backup.file}\n`)
}

/** Records the backup for the metric of its age. A failure is only a warning: the user may lack write access there. */
function recordBackup(directory: string, file: string): void {
  try {
    const record = join(directory, backupRecord)
    const draft = `${record}.${process.pid}`
    writeFileSync(draft, `${file}\n`, { mode: 0o600 })
    // A backup by root must not keep the user of the service from recording the next one.
    const { uid, gid } = statSync(directory)
    if (process.getuid?.() === 0) chownSync(draft, uid, gid)
    renameSync(draft, record)
  } catch (error) {
    process.stderr.write(`The metrics do not count this backup: ${(error as Error).message}\n`)
  }
}

/** Returns the configured data directory. @throws OperatorError if the configured store is PostgreSQL */
export function sqliteDirectory(command: string): string {
  const { databaseUrl, dataDir } = loadConfig(process.env)
  if (databaseUrl === undefined) return dataDir
  throw new OperatorError(
    `rollbook ${command} is for SQLite, but ROLLBOOK_DATABASE_URL names a PostgreSQL database. Use pg_dump and ` +
      'pg_restore for it (docs/postgresql.md), or give --data-dir for the SQLite store of a directory.',
  )
}
