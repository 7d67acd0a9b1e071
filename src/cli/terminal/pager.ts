/** Shows long output page by page, like git: only on a terminal, and only if it does not fit. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { exitCodes } from './exit-codes.ts'
import { Failed } from './failure.ts'
import { put, redirectPut } from './standard-output.ts'
import { widthOf } from './visible-text.ts'

class PagerClosed extends Error {}

/** Runs work whose output goes through the pager. The person may leave the pager early, which ends the work. */
export async function throughPager(work: () => Promise<void>): Promise<void> {
  const command = pagerCommand()
  const { isTTY, rows, columns } = process.stdout
  if (!isTTY || !rows || command === undefined) return work()
  let held = ''
  let lines = 0
  let pager: ChildProcess | undefined
  redirectPut(async (text) => {
    if (pager === undefined) {
      held += text
      lines += linesOf(text, columns)
      // One line is for the prompt of the shell.
      if (lines < rows) return
      pager = startPager(command)
      await writeTo(pager, held)
    } else await writeTo(pager, text)
  })
  try {
    await work()
  } catch (error) {
    if (!(error instanceof PagerClosed)) throw error
  } finally {
    redirectPut(undefined)
    if (pager !== undefined) await endPager(pager, command)
    else if (held !== '') await put(held)
  }
}

/** Returns the command of $PAGER, or `less`. Undefined if paging is off. */
function pagerCommand(): string | undefined {
  const { PAGER, TERM } = process.env
  if (TERM === 'dumb' || PAGER === '' || PAGER === 'cat') return undefined
  return PAGER ?? ['less', 'more'].find(isInstalled)
}

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(':').some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

function startPager(command: string): ChildProcess {
  // As git sets them: colours are shown, and what fits is not paged.
  const env = { LESS: 'FRX', LV: '-c', ...process.env }
  const pager = spawn('sh', ['-c', command], { stdio: ['pipe', 'inherit', 'inherit'], env })
  // Reported by the next write.
  pager.stdin?.on('error', () => undefined)
  return pager
}

async function writeTo({ stdin }: ChildProcess, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    if (stdin === null || stdin.destroyed) return reject(new PagerClosed())
    stdin.write(text, (error) => (error ? reject(new PagerClosed()) : resolve()))
  })
}

async function endPager(pager: ChildProcess, command: string): Promise<void> {
  // Ctrl-C belongs to the pager.
  const ignore = () => undefined
  process.on('SIGINT', ignore)
  try {
    pager.stdin?.end()
    if (pager.exitCode === null && pager.signalCode === null) await once(pager, 'exit')
  } finally {
    process.off('SIGINT', ignore)
  }
  if (pager.exitCode === 126 || pager.exitCode === 127)
    throw new Failed(`The pager ${command} cannot be started. Give --no-pager, or set PAGER.`, exitCodes.failed)
}

function linesOf(text: string, columns: number): number {
  const lines = text.split('\n')
  // Text after the last line break belongs to an unfinished line.
  return lines.slice(0, -1).reduce((sum, line) => sum + heightOf(line, columns), 0)
}

function heightOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(widthOf(stripVTControlCharacters(line)) / Math.max(1, columns)))
}
