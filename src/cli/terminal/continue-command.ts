/** How to continue a command that was interrupted. */
import { OperatorError } from '../../core/errors.ts'

/** Whether the same command can do the rest. What the server refused, it would refuse again. */
export function canContinue(error: unknown, signal: AbortSignal): boolean {
  if (signal.aborted) return true
  // The input or the options are at fault.
  if (error instanceof OperatorError) return false
  const { name, status = 500 } = error as { name?: string; status?: number }
  return name !== 'RollbookError' || status >= 429 || status === 401
}

/** Returns a command line, quoted for a POSIX shell. */
export function commandOf(args: readonly string[]): string {
  return ['rollbook', ...args].map(quoted).join(' ')
}

function quoted(arg: string): string {
  return /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`
}
