import type { Command } from 'commander'
import { exitCodes } from './exit-codes.ts'
import { Failed, UsageError } from './failure.ts'
import { askWhether, isInteractive } from './prompt.ts'
import { visible } from './visible-text.ts'

export type WriteOptions = { dryRun?: true; yes?: true }

/** For every command that changes something. */
export function addWriteOptions(command: Command): Command {
  return command
    .option('--dry-run', 'check everything and say what would happen, but change nothing')
    .option('-y, --yes', 'do not ask')
}

/** For a command that does much before it asks. */
export function mustBeAbleToAsk({ yes, dryRun }: WriteOptions): void {
  if (yes || dryRun || isInteractive()) return
  throw new UsageError('There is no terminal to ask on. Give --yes if it is meant.')
}

/** Asks before what cannot be taken back. A dry run needs no answer; without a terminal there is nobody to give one. */
export async function confirm(question: string, options: WriteOptions): Promise<void> {
  mustBeAbleToAsk(options)
  if (options.yes || options.dryRun) return
  if (!(await askWhether(visible(question)))) throw new Failed('Nothing was changed.', exitCodes.failed)
}
