/**
 * The command line. Each command is a file of its own that says what it takes, does its work through the services, and
 * tells of it: data on standard output, everything else on standard error. What the work needs is loaded when it begins:
 * `--help` answers at once.
 */
import { Command, CommanderError } from 'commander'
import { version } from '../version.ts'
import { addAudit } from './audit.ts'
import { addBackup } from './backup.ts'
import { explanationOf, UsageError } from './failure.ts'
import { Interrupted } from './interruption.ts'
import { addMove } from './move.ts'
import { addRestore } from './restore.ts'
import { addServe } from './serve.ts'

const commands = [addServe, addBackup, addRestore, addMove, addAudit]

/** Runs a command; answers the exit code: 0 done, 1 failed, 2 wrongly asked, 130 interrupted. */
export async function run(args: readonly string[]): Promise<number> {
  const program = new Command('rollbook')
    .description(`User Administration (Auth) API of a product.

  rollbook                                  serves the API
  rollbook backup --to backups/today.db     while it is served`)
    .version(version)
    .exitOverride()
    .showHelpAfterError('Try rollbook --help, or rollbook <command> --help.')
  for (const add of commands) add(program)
  try {
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // Commander has said by itself what is wrong. Help that was asked for comes this way too, and is no fault.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    process.stderr.write(`${explanationOf(error)}\n`)
    if (error instanceof Interrupted) return error.exitCode
    return error instanceof UsageError ? 2 : 1
  }
}
