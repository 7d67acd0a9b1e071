import { resolve } from 'node:path'
import type { Command } from 'commander'
import { counted, duration } from '../../lib/amounts.ts'
import { examples } from '../terminal/examples.ts'
import { interruptible } from '../terminal/interruption.ts'
import { sqliteDirectory } from './backup.ts'
import { showCopy } from './copy-progress.ts'

export function addRestore(program: Command): void {
  const restore = program
    .command('restore')
    .summary('replace the SQLite store with a backup')
    .description(
      'Restores the SQLite store from a backup, which is checked first. The server must be stopped. An existing store is kept under another name, which is printed. API keys are those of the backup, and all sessions end.',
    )
    .requiredOption('--from <file>', 'the backup file')
    .option('--data-dir <directory>', 'data directory to restore to (default: ROLLBOOK_DATA_DIR)')
    .option('--replace', 'replace an existing store')
    .option('--dry-run', 'check the backup and the data directory, but change nothing')
    .action(runRestore)
  examples(restore, [
    ['rollbook restore --from /backup/rollbook.db', 'restore to an empty data directory'],
    ['rollbook restore --from /backup/rollbook.db --replace', 'replace an existing store'],
  ])
}

type RestoreOptions = { from: string; dataDir?: string; replace?: true; dryRun?: true }

async function runRestore(options: RestoreOptions): Promise<void> {
  const { restore } = await import('../../operations/move/restore.ts')
  const { from, replace = false, dryRun = false } = options
  const directory = resolve(options.dataDir ?? sqliteDirectory('restore'))
  const startedAt = performance.now()
  const { users, kept } = await interruptible(async (signal) => {
    const copying = showCopy(signal)
    return restore(from, directory, new Date(), { ...copying, replace, dryRun }).finally(copying.end)
  })
  if (dryRun) {
    process.stderr.write(`Nothing was changed. The backup is valid and contains ${counted(users, 'user')}.\n`)
    return
  }
  const took = duration(performance.now() - startedAt)
  process.stderr.write(`Restored ${counted(users, 'user')} into ${directory} in ${took}.\n`)
  process.stderr.write('API keys are those of the backup. Review them with rollbook keys list.\n')
  process.stderr.write('All users must sign in again.\n')
  if (kept === undefined) return
  process.stderr.write('The previous store was kept. Delete it when you no longer need it:\n')
  process.stdout.write(`${kept}\n`)
}
