/** Runs `rollbook users bulk`. */

import { counted, duration, grouped, rate } from '../../lib/amounts.ts'
import type { BulkChange, BulkLine, RollbookClient } from '../../sdk/client/index.ts'
import { withServer } from '../server/connect.ts'
import { canGoOn, commandOf } from '../terminal/continue-command.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failed } from '../terminal/failure.ts'
import { printRows, tell } from '../terminal/output.ts'
import { type Progress, showProgress } from '../terminal/progress.ts'
import { beforePut, isQuiet } from '../terminal/standard-output.ts'
import { visible } from '../terminal/visible-text.ts'
import { confirm, mustBeAbleToAsk } from '../terminal/write-options.ts'
import type { Action, BulkOptions } from './bulk-options.ts'
import { type Found, findMeant, type Meant, readMeant } from './bulk-selection.ts'

type Row = Omit<Extract<BulkLine, { type: 'row' }>, 'type' | 'user_id'> & { user_id: string | null }
type Sums = { total: number; changed: number; unchanged: number; refused: number }
type Words = { doing: string; done: string; question: (users: string) => string }

export async function runBulk(action: Action, named: readonly string[], options: BulkOptions): Promise<void> {
  const meant = await readMeant(action, named, options)
  mustBeAbleToAsk(options)
  await withServer(options, (client, signal) => changeMany({ client, signal, action, meant, options }))
}

type Work = { client: RollbookClient; signal: AbortSignal; action: Action; meant: Meant; options: BulkOptions }

async function changeMany(work: Work): Promise<void> {
  const { client, signal, action, meant, options } = work
  const words = wordsOf(action, options)
  const search = { client, signal, ...(options.by !== undefined && { by: options.by }) }
  const found = await withProgress('Looking up', (progress) => findMeant(meant, action, { ...search, progress }))
  let { dryRun = false } = options
  // With --quiet and --yes nothing shows the preview, so skip it.
  if (!dryRun && !(options.yes && isQuiet())) {
    const sums = await preview(work, found, words)
    if (sums.changed === 0) dryRun = true
    else await confirm(words.question(counted(sums.changed, 'user')), options)
  }
  await run(work, { found, words, dryRun })
}

/** Shows what would happen. */
async function preview(work: Work, found: Found, words: Words): Promise<Sums> {
  const reasons = new Map<string, string>()
  const { sums, rows } = begin(work, found, { dryRun: true, rows: 'refused' })
  await withProgress('Checking', async (progress) => {
    for await (const { code = '', username, user_id, detail } of rows(progress)) {
      if (!reasons.has(code)) reasons.set(code, `${username ?? user_id}: ${detail}`)
    }
  })
  tell(`${counted(sums.total, 'user')}: ${outcomeOf(sums, `would be ${words.done}`)}.`)
  for (const [code, example] of reasons) tell(`  ${code}, for example ${example}`)
  return sums
}

type Run = { found: Found; words: Words; dryRun: boolean }

async function run(work: Work, { found, words, dryRun }: Run): Promise<void> {
  const { options, signal } = work
  const begun = performance.now()
  const { sums, rows } = begin(work, found, { dryRun, rows: options.rows })
  try {
    await withProgress(dryRun ? 'Checking' : words.doing, (progress) => printAll(rows(progress), options))
  } catch (error) {
    if (!dryRun && canGoOn(error, signal)) tellHowToGoOn(sums, words, work)
    throw error
  }
  const ms = performance.now() - begun
  const done = sums.changed + sums.unchanged + sums.refused
  const speed = done > 1000 ? `, ${rate(done, ms)} users/s` : ''
  tell(
    `${dryRun ? 'Checked' : 'Processed'} ${counted(done, 'user')} in ${duration(ms)}${speed}: ` +
      `${outcomeOf(sums, dryRun ? `would be ${words.done}` : words.done)}.`,
  )
  if (dryRun) tell('Nothing was changed.')
  if (sums.refused === 0) return
  const text = `${counted(sums.refused, 'user')} ${dryRun ? 'would be' : sums.refused === 1 ? 'was' : 'were'} refused.`
  throw new Failed(text, exitCodes.someRowsFailed)
}

/** Prints the rows. A reader who leaves early, such as `head`, does not stop the change. */
async function printAll(rows: AsyncGenerator<Row, void, undefined>, options: BulkOptions): Promise<void> {
  try {
    await printRows({ [Symbol.asyncIterator]: () => ({ next: () => rows.next() }) }, options).catch((error) => {
      if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
    })
    while (!(await rows.next()).done);
  } finally {
    await rows.return()
  }
}

/** Starts the requests. Yields their rows and keeps the totals up to date. */
function begin(
  { client, signal, action, options }: Work,
  { wholes, missing }: Found,
  how: { dryRun: boolean; rows: 'all' | 'refused' },
) {
  const sums: Sums = { total: 0, changed: 0, unchanged: 0, refused: 0 }
  const expected = missing.length + wholes.reduce((sum, { user_ids = [] }) => sum + user_ids.length, 0)
  const change: Pick<BulkChange, 'action' | 'role'> = {
    action: action.replaceAll('-', '_') as BulkChange['action'],
    ...(options.to !== undefined && { role: options.to }),
  }
  async function* rows(progress: Progress | undefined): AsyncGenerator<Row, void, undefined> {
    for (const name of missing) {
      sums.total++
      sums.refused++
      yield {
        user_id: null,
        username: name,
        verdict: 'refused',
        code: 'user_not_found',
        detail: 'There is no such user.',
      }
    }
    for (const whole of wholes) {
      const before = { ...sums }
      for await (const line of client.users.bulk({ ...change, ...whole }, { ...how, signal })) {
        if (line.type === 'begin') sums.total += line.total
        else if (line.type !== 'row') {
          for (const verdict of verdicts) sums[verdict] = before[verdict] + line[verdict]
        } else if (how.rows === 'all') sums[line.verdict]++
        progress?.update(sums.changed + sums.unchanged + sums.refused, Math.max(expected, sums.total))
        if (line.type !== 'row') continue
        const { type: _, ...row } = line
        yield row
      }
    }
  }
  return { sums, rows }
}

const verdicts = ['changed', 'unchanged', 'refused'] as const

async function withProgress<T>(label: string, work: (progress: Progress | undefined) => Promise<T>): Promise<T> {
  const progress = isQuiet() ? undefined : showProgress({ label, counting: 'user' })
  if (process.stdout.isTTY) beforePut(progress?.end)
  try {
    return await work(progress)
  } finally {
    beforePut(undefined)
    progress?.end()
  }
}

function outcomeOf({ changed, unchanged, refused }: Sums, done: string): string {
  return `${grouped(changed)} ${done}, ${grouped(unchanged)} unchanged, ${grouped(refused)} refused`
}

/** Printed with --quiet too, because it is part of an error. */
function tellHowToGoOn(sums: Sums, { done }: Words, { action, meant, options }: Work): void {
  const lines = [
    `Interrupted before all of ${counted(sums.total, 'user')} were processed. So far: ${outcomeOf(sums, done)}. These changes stay.`,
    `To do the rest${options.fromFile === '-' ? ', with the same standard input' : ''}, run:`,
    `  ${commandOf(process.argv.slice(2))}`,
    ...('names' in meant && action === 'delete' ? ['It reports users who are already deleted as not found.'] : []),
  ]
  process.stderr.write(`${lines.map(visible).join('\n')}\n`)
}

function wordsOf(action: Action, { to = '' }: BulkOptions): Words {
  switch (action) {
    case 'activate':
      return { doing: 'Activating', done: 'activated', question: (users) => `Activate ${users}?` }
    case 'deactivate':
      return { doing: 'Deactivating', done: 'deactivated', question: (users) => `Deactivate ${users}?` }
    case 'set-role': {
      const question = (users: string) => `Give ${users} the role ${to}?`
      return { doing: 'Giving the role', done: `given the role ${to}`, question }
    }
    case 'end-sessions':
      return { doing: 'Signing out', done: 'signed out', question: (users) => `Sign ${users} out everywhere?` }
    case 'delete':
      return { doing: 'Deleting', done: 'deleted', question: (users) => `Delete ${users}?` }
    case 'restore':
      return { doing: 'Restoring', done: 'restored', question: (users) => `Restore ${users}?` }
  }
}
