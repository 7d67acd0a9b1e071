import type { Command } from 'commander'
import { exitCodes } from './exit-codes.ts'
import { Failed, UsageError } from './failure.ts'
import { askWhether, isInteractive } from './prompt.ts'
import { visible } from './visible.ts'

export type WriteOptions = { dryRun?: true; yes?: true }

/** For every command that changes something. */
export function addWriteOptions(command: Command): Command {
  return command
    .option('--dry-run', 'check everything and say what would happen, but change nothing')
    .option('-y, --yes', 'do not ask')
}

/** Asks before what cannot be taken back. A dry run needs no answer; without a terminal there is nobody to give one. */
export async function confirm(question: string, { yes, dryRun }: WriteOptions): Promise<void> {
  if (yes || dryRun) return
  if (!isInteractive()) throw new UsageError('There is no terminal to ask on. Give --yes if it is meant.')
  if (!(await askWhether(visible(question)))) throw new Failed('Nothing was changed.', exitCodes.failed)
}
