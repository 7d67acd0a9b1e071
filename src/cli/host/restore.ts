import { resolve } from 'node:path'
import type { Command } from 'commander'
import { counted, duration } from '../../lib/amounts.ts'
import { examples } from '../terminal/examples.ts'
import { UsageError } from '../terminal/failure.ts'
import { interruptible } from '../terminal/interruption.ts'
import { tell } from '../terminal/output.ts'
import { sqliteDirectory } from './backup.ts'
import { showCopy } from './copy-progress.ts'
import { tellEnded } from './restored-words.ts'

export function addRestore(program: Command): void {
  const restore = program
    .command('restore')
    .summary('replace the SQLite store with a backup')
    .description(
      'Restores the SQLite store from a backup, which is checked first, and does what rollbook restored does. The server must be stopped. An existing store is kept under another name, which is printed. API keys are those of the backup, all sessions end, and waiting messages are held.',
    )
    .requiredOption('--from <file>', 'the backup file')
    .option('--data-dir <directory>', 'data directory to restore to (default: ROLLBOOK_DATA_DIR)')
    .option('--replace', 'replace an existing store')
    .option('--trial', 'only to try the backup: a server on this store sends nothing and calls nothing outside')
    .option('--dry-run', 'check the backup and the data directory, but change nothing')
    .action(runRestore)
  examples(restore, [
    ['rollbook restore --from /backup/rollbook.db', 'restore to an empty data directory'],
    ['rollbook restore --from /backup/rollbook.db --replace', 'replace an existing store'],
    ['rollbook restore --from /backup/rollbook.db --trial --data-dir /tmp/trial', 'try a backup beside the server'],
  ])
}

type RestoreOptions = { from: string; dataDir?: string; replace?: true; trial?: true; dryRun?: true }

async function runRestore(options: RestoreOptions): Promise<void> {
  const { from, replace = false, trial = false, dryRun = false } = options
  if (trial && options.dataDir === undefined) {
    throw new UsageError('A trial needs a directory of its own. Give --data-dir.')
  }
  const [{ restore }, { prepareCopy }] = await Promise.all([
    import('../../operations/move/service.ts'),
    import('./restored-store.ts'),
  ])
  const directory = resolve(options.dataDir ?? sqliteDirectory('restore'))
  const startedAt = performance.now()
  const now = new Date()
  const {
    users,
    ended,
    previousPath: kept,
  } = await interruptible(async (signal) => {
    const copying = showCopy(signal)
    const prepare = (path: string) => prepareCopy(path, { isTrial: trial, now: now.getTime() })
    return restore(from, directory, now, { ...copying, replace, dryRun, prepare }).finally(copying.end)
  })
  if (dryRun) {
    tell(`Nothing was changed. The backup is valid and contains ${counted(users, 'user')}.`)
    return
  }
  tell(`Restored ${counted(users, 'user')} into ${directory} in ${duration(performance.now() - startedAt)}.`)
  tell('API keys are those of the backup. Review them with rollbook keys list.')
  tellEnded(ended, trial)
  if (kept === undefined) return
  tell('The previous store was kept. Delete it when you no longer need it:')
  process.stdout.write(`${kept}\n`)
}
