import type { Command } from 'commander'
import { exitCodes } from './exit-codes.ts'
import { Failed, UsageError } from './failure.ts'
import { askWhether, isInteractive } from './prompt.ts'
import { visible } from './visible-text.ts'

export type WriteOptions = { dryRun?: true; yes?: true }

/** Adds the options of commands that change something. */
export function addWriteOptions(command: Command): Command {
  return command
    .option('--dry-run', 'make all checks and show what would happen, but change nothing')
    .option('-y, --yes', 'do not ask for confirmation')
}

export type OverrideOption = { override?: true }

/** Adds the option of commands that change what a configuration file may manage. */
export function addOverrideOption(command: Command, what: string): Command {
  return command.option('--override', `also change ${what} that a configuration file manages`)
}

/** Refuses early if confirm() could not ask later. */
export function requireTerminalOrYes({ yes, dryRun }: WriteOptions): void {
  if (yes || dryRun || isInteractive()) return
  throw new UsageError('There is no terminal to ask on. Give --yes to confirm.')
}

/** Asks for confirmation. A dry run does not ask. @throws UsageError if there is no terminal and no --yes */
export async function confirm(question: string, options: WriteOptions): Promise<void> {
  requireTerminalOrYes(options)
  if (options.yes || options.dryRun) return
  if (!(await askWhether(visible(question)))) throw new Failed('Nothing was changed.', exitCodes.failed)
}
