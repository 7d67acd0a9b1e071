/** `rollbook restored`: for a store that another tool restored. */
import type { Command } from 'commander'
import { examples } from '../terminal/examples.ts'
import { tell } from '../terminal/output.ts'
import { addWriteOptions, confirm, type WriteOptions } from '../terminal/write-options.ts'
import { tellEnded } from './restored-words.ts'

type Options = WriteOptions & { trial?: true; dataDir?: string }

export function addRestored(program: Command): void {
  const restored = program
    .command('restored')
    .summary('prepare a store that another tool restored')
    .description(
      'Run it once for a store that comes from elsewhere, before any node serves it: after pg_restore, after point-in-time recovery, or when files or disks were set back. rollbook restore does the same. Sessions, trusted browsers and links in messages end, messages that wait are held until you release them, webhook deliveries that wait are not sent, and followers of the changes start over. All nodes must be stopped. Uses the configuration of the service. The audit records it.',
    )
    .option('--trial', 'only to try the store: a server on it sends nothing and calls nothing outside')
    .option('--data-dir <directory>', 'data directory of the SQLite store (default: the configured store)')
    .action(runRestored)
  addWriteOptions(restored)
  examples(restored, [
    ['rollbook restored', 'after pg_restore, before the first node starts'],
    ['rollbook restored --trial', 'try a backup beside the running service'],
  ])
}

async function runRestored(options: Options): Promise<void> {
  const { trial = false, dryRun = false, dataDir } = options
  await confirm(
    'All users must sign in again, and messages that wait are held. Are all nodes stopped, and does the store come from elsewhere?',
    options,
  )
  const { prepareStore } = await import('./restored-store.ts')
  const prepared = await prepareStore(dataDir, { isTrial: trial, dryRun })
  if (dryRun) tell('Nothing was changed. This would be done:')
  tellEnded(prepared, trial)
}
