/** What a command that was stopped in the middle says. */
import { OperatorError } from '../../core/errors.ts'

/** Whether the same again could do the rest: what the server refused it would refuse again. */
export function canGoOn(error: unknown, signal: AbortSignal): boolean {
  if (signal.aborted) return true
  // The input is at fault, or what was asked for.
  if (error instanceof OperatorError) return false
  const { name, status = 500 } = error as { name?: string; status?: number }
  return name !== 'RollbookError' || status >= 429 || status === 401
}

/** A command as a shell takes it. */
export function commandOf(args: readonly string[]): string {
  return ['rollbook', ...args].map(quoted).join(' ')
}

function quoted(arg: string): string {
  return /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`
}
