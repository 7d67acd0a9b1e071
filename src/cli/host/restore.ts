import { resolve } from 'node:path'
import type { Command } from 'commander'
import { counted, duration } from '../../lib/amounts.ts'
import { examples } from '../terminal/examples.ts'
import { interruptible } from '../terminal/interruption.ts'
import { sqliteDirectory } from './backup.ts'
import { tellOfCopy } from './copy-progress.ts'

export function addRestore(program: Command): void {
  const restore = program
    .command('restore')
    .summary('put a backup in the place of the SQLite store')
    .description(
      'Puts a copy of a backup in the place of the SQLite store. The server must be stopped. The backup is checked first. A store that is there is kept under another name, which is printed. API keys are as they were at the backup; all sessions end.',
    )
    .requiredOption('--from <file>', 'the backup')
    .option('--data-dir <directory>', 'where to (default: ROLLBOOK_DATA_DIR)')
    .option('--replace', 'take the place of the store that is there')
    .option('--dry-run', 'check the backup and the place, but change nothing')
    .action(runRestore)
  examples(restore, [
    ['rollbook restore --from /backup/rollbook.db', 'where there is no store'],
    ['rollbook restore --from /backup/rollbook.db --replace', 'in the place of the store that is there'],
  ])
}

type RestoreOptions = { from: string; dataDir?: string; replace?: true; dryRun?: true }

async function runRestore(options: RestoreOptions): Promise<void> {
  const { restore } = await import('../../operations/move/restore.ts')
  const { from, replace = false, dryRun = false } = options
  const directory = resolve(options.dataDir ?? sqliteDirectory('restore'))
  const begun = performance.now()
  const { users, kept } = await interruptible(async (signal) => {
    const telling = tellOfCopy(signal)
    return restore(from, directory, new Date(), { ...telling, replace, dryRun }).finally(telling.end)
  })
  if (dryRun) {
    process.stderr.write(`Nothing was changed: the backup is sound, with ${counted(users, 'user')}.\n`)
    return
  }
  const took = duration(performance.now() - begun)
  process.stderr.write(`Restored ${counted(users, 'user')} into ${directory} in ${took}.\n`)
  process.stderr.write('API keys are as they were at the backup: look through GET /auth/keys.\n')
  process.stderr.write('Everybody has to sign in again.\n')
  if (kept === undefined) return
  process.stderr.write('The store that was there before is kept; remove it when it is not needed any more:\n')
  process.stdout.write(`${kept}\n`)
}
