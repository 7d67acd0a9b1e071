/** Runs `rollbook users bulk`. */

import { closeSync, existsSync, openSync, writeSync } from 'node:fs'
import { counted, duration, grouped, rate } from '../../lib/amounts.ts'
import {
  type BulkChange,
  type BulkLine,
  type Group,
  type RollbookClient,
  RollbookError,
} from '../../sdk/client/index.ts'
import { withServer } from '../server/connect.ts'
import { getGroup } from '../server/find-group.ts'
import { organizationIdFor } from '../server/find-organization.ts'
import { canContinue, commandOf } from '../terminal/continue-command.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failed, UsageError } from '../terminal/failure.ts'
import { printRows, tell } from '../terminal/output.ts'
import { type Progress, withProgress } from '../terminal/progress.ts'
import { isQuiet } from '../terminal/standard-output.ts'
import { visible } from '../terminal/visible-text.ts'
import { confirm, requireTerminalOrYes } from '../terminal/write-options.ts'
import { type Action, invitationColumns, type RowOptions, wireActions } from './bulk-options.ts'
import { type Found, findSelected, readSelection, type Selection } from './bulk-selection.ts'
import { readEndDate } from './end-date-options.ts'

type Row = Omit<Extract<BulkLine, { type: 'row' }>, 'type' | 'user_id'> & { user_id: string | null }
type Totals = {
  total: number
  changed: number
  unchanged: number
  refused: number
  /** How many links the operator must hand over. */
  links: number
}
type Wording = { doing: string; done: string; question: (users: string) => string }

export async function runBulk(action: Action, named: readonly string[], rowOptions: RowOptions): Promise<void> {
  const options = action === 'invite' ? { ...rowOptions, known: invitationColumns } : rowOptions
  const selection = await readSelection(action, named, options)
  requireTerminalOrYes(options)
  await withServer(options, async (client, signal) => {
    const group = options.group === undefined ? undefined : await getGroup(client, options.group, signal)
    const attributes = action === 'set-attribute' ? await valuesIn(options, client, signal) : undefined
    const organization =
      action === 'set-organization' ? await organizationIdFor(client, options.to ?? '', signal) : undefined
    await changeUsers({ client, signal, action, group, organization, attributes, selection, options })
  })
}

type Work = {
  client: RollbookClient
  signal: AbortSignal
  action: Action
  group: Group | undefined
  /** For `set-organization`: its id, or `none`. */
  organization: string | undefined
  /** The values of `set-attribute`. */
  attributes: BulkChange['attributes']
  selection: Selection
  options: RowOptions
}

async function changeUsers(work: Work): Promise<void> {
  const { client, signal, action, group, selection, options } = work
  const words = wordingOf(action, options, group?.name)
  const search = { client, signal, ...(options.by !== undefined && { by: options.by }) }
  const found = await withProgress({ label: 'Looking up', counting: 'user' }, (progress) =>
    findSelected(selection, action, { ...search, progress }),
  )
  let { dryRun = false } = options
  // With --quiet and --yes nothing shows the preview, so skip it.
  if (!dryRun && !(options.yes && isQuiet())) {
    const totals = await preview(work, found, words)
    if (totals.changed === 0) dryRun = true
    else await confirm(words.question(counted(totals.changed, 'user')), options)
  }
  await run(work, { found, words, dryRun })
}

/** Shows what would happen. */
async function preview(work: Work, found: Found, words: Wording): Promise<Totals> {
  const reasons = new Map<string, string>()
  const { totals, rows } = startRequests(work, found, { dryRun: true, rows: 'refused' })
  await withProgress({ label: 'Checking', counting: 'user' }, async (progress) => {
    for await (const { code = '', username, user_id, detail } of rows(progress)) {
      if (!reasons.has(code)) reasons.set(code, `${username ?? user_id}: ${detail}`)
    }
  })
  tell(`${counted(totals.total, 'user')}: ${outcomeOf(totals, `would be ${words.done}`)}.`)
  for (const [code, example] of reasons) tell(`  ${code}, for example ${example}`)
  return totals
}

type Run = { found: Found; words: Wording; dryRun: boolean }

async function run(work: Work, { found, words, dryRun }: Run): Promise<void> {
  const { action, group, options, signal } = work
  const startedAt = performance.now()
  const saved = dryRun || options.saveChanged === undefined ? undefined : openList(options.saveChanged)
  const { totals, rows } = startRequests(work, found, { dryRun, rows: options.rows, saved })
  try {
    await withProgress({ label: dryRun ? 'Checking' : words.doing, counting: 'user' }, (progress) =>
      printAll(rows(progress), options),
    )
  } catch (error) {
    if (!dryRun && canContinue(error, signal)) explainHowToContinue(totals, words, work)
    throw error
  } finally {
    // Changes made before an interruption can be undone too.
    saved?.close()
  }
  const ms = performance.now() - startedAt
  const done = totals.changed + totals.unchanged + totals.refused
  const speed = done > 1000 ? `, ${rate(done, ms)} users/s` : ''
  tell(
    `${dryRun ? 'Checked' : 'Processed'} ${counted(done, 'user')} in ${duration(ms)}${speed}: ` +
      `${outcomeOf(totals, dryRun ? `would be ${words.done}` : words.done)}.`,
  )
  if (dryRun) tell('Nothing was changed.')
  const reverse = reverses[action]
  const hasValues = ['set-attribute', 'set-locale', 'set-end-date', 'set-organization'].includes(action)
  if (saved !== undefined && totals.changed > 0 && hasValues) {
    const how = ['--format', 'ndjson', '--update', '--match', 'user_id']
    tell(`To undo it: ${commandOf(['users', 'import', options.saveChanged ?? '', ...how])}`)
  }
  if (saved !== undefined && totals.changed > 0 && reverse !== undefined) {
    const where = group === undefined ? [] : ['--group', group.group_id]
    const ids = ['--from-file', options.saveChanged ?? '', '--by', 'id']
    tell(`To undo it: ${commandOf(['users', 'bulk', reverse, ...where, ...ids])}`)
  }
  if (totals.links > 0) {
    tell(`${counted(totals.links, 'link')} to hand over. They are not shown again.`)
  }
  if (totals.refused === 0) return
  const text = `${counted(totals.refused, 'user')} ${dryRun ? 'would be' : totals.refused === 1 ? 'was' : 'were'} refused.`
  throw new Failed(text, exitCodes.someRowsFailed)
}

/** Prints the rows. A reader who leaves early, such as `head`, does not stop the change. */
async function printAll(rows: AsyncGenerator<Row, void, undefined>, options: RowOptions): Promise<void> {
  try {
    await printRows({ [Symbol.asyncIterator]: () => ({ next: () => rows.next() }) }, options, undefined).catch(
      (error) => {
        if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
      },
    )
    while (!(await rows.next()).done);
  } finally {
    await rows.return()
  }
}

/** Starts the requests. Yields their rows and keeps the totals up to date. */
function startRequests(
  { client, signal, action, group, organization, attributes, options }: Work,
  { requests, missing }: Found,
  { saved, ...how }: { dryRun: boolean; rows: 'all' | 'refused'; saved?: List | undefined },
) {
  const totals: Totals = { total: 0, changed: 0, unchanged: 0, refused: 0, links: 0 }
  const expected = missing.length + requests.reduce((sum, { user_ids = [] }) => sum + user_ids.length, 0)
  const change: Pick<
    BulkChange,
    'action' | 'role' | 'attributes' | 'locale' | 'expires_at' | 'organization_id' | 'group_id' | 'send' | 'resend'
  > = {
    action: wireActions[action],
    ...(action === 'set-locale' && { locale: options.to === 'none' ? null : options.to }),
    ...(action === 'set-end-date' && { expires_at: options.to === 'none' ? null : readEndDate(options.to ?? '') }),
    ...(organization !== undefined && { organization_id: organization === 'none' ? null : organization }),
    ...(action === 'add-to-group' && options.to !== undefined && { expires_at: readEndDate(options.to) }),
    ...(action === 'set-role' && options.to !== undefined && { role: options.to }),
    ...(attributes && { attributes }),
    ...(group !== undefined && { group_id: group.group_id }),
    ...(options.printUrl && { send: false }),
    ...(options.resend && { resend: true }),
  }
  async function* rows(progress: Progress | undefined): AsyncGenerator<Row, void, undefined> {
    for (const name of missing) {
      totals.total++
      totals.refused++
      yield {
        user_id: null,
        username: name,
        verdict: 'refused',
        code: 'user_not_found',
        detail: 'There is no such user.',
      }
    }
    for (const request of requests) {
      const before = { ...totals }
      // The server names changed users only if it names all.
      const rows = saved === undefined ? how.rows : 'all'
      for await (const line of client.users.bulk({ ...change, ...request }, { dryRun: how.dryRun, rows, signal })) {
        const undone = line.type === 'row' && line.verdict === 'changed' ? undoneBy(action, line) : undefined
        if (undone !== undefined) saved?.add(undone)
        if (line.type === 'begin') totals.total += line.total
        else if (line.type !== 'row') {
          for (const verdict of verdicts) totals[verdict] = before[verdict] + line[verdict]
        } else if (rows === 'all') totals[line.verdict]++
        progress?.update(totals.changed + totals.unchanged + totals.refused, Math.max(expected, totals.total))
        if (line.type !== 'row') continue
        const { type: _, before: __, ...row } = line
        if (row.url !== undefined) totals.links++
        if (how.rows === 'refused' && row.verdict !== 'refused' && row.url === undefined) continue
        yield row
      }
    }
  }
  return { totals, rows }
}

/** The command that undoes a change of some users. */
const reverses: Partial<Record<Action, Action>> = {
  enable: 'disable',
  disable: 'enable',
  delete: 'restore',
  'add-to-group': 'remove-from-group',
  'remove-from-group': 'add-to-group',
}

type Line = Extract<BulkLine, { type: 'row' }>
/** Ids, or, after a change of values, rows for an import that restores them. */
/** What undoes a change of a user. The former end of a membership is none of the user: the opposite action takes ids alone. */
function undoneBy(action: Action, { user_id, before }: Saved): Saved | undefined {
  if (action === 'remove-from-group') return { user_id }
  // A member whose end date was changed stays one.
  return action === 'add-to-group' && before !== undefined ? undefined : { user_id, ...(before && { before }) }
}

type Saved = Pick<Line, 'user_id' | 'before'>
type List = { add(line: Saved): void; close(): void }

/** @throws UsageError if the file exists: it may be the only means to undo an earlier change */
function openList(file: string): List {
  if (existsSync(file)) throw new UsageError(`${file} exists. Give another file, or move this one away.`)
  const fd = openSync(file, 'wx', 0o600)
  return {
    add({ user_id, before }) {
      writeSync(fd, `${before === undefined ? user_id : JSON.stringify({ user_id, ...before })}\n`)
    },
    close: () => closeSync(fd),
  }
}

const verdicts = ['changed', 'unchanged', 'refused'] as const

function outcomeOf({ changed, unchanged, refused }: Totals, done: string): string {
  return `${grouped(changed)} ${done}, ${grouped(unchanged)} unchanged, ${grouped(refused)} refused`
}

/** Printed with --quiet too, because it is part of an error. */
function explainHowToContinue(totals: Totals, { done }: Wording, { action, selection, options }: Work): void {
  const lines = [
    `Interrupted before all of ${counted(totals.total, 'user')} were processed. So far: ${outcomeOf(totals, done)}. These changes stay.`,
    `To do the rest${options.fromFile === '-' ? ', with the same standard input' : ''}, run:`,
    `  ${commandOf(process.argv.slice(2))}`,
    ...('names' in selection && action === 'delete' ? ['It reports users who are already deleted as not found.'] : []),
  ]
  process.stderr.write(`${lines.map(visible).join('\n')}\n`)
}

/** The values of `--set` by the types of their definitions. Without permission to read these, the server judges the texts. */
async function valuesIn(
  { set = {}, unset = [] }: RowOptions,
  client: RollbookClient,
  signal: AbortSignal,
): Promise<NonNullable<BulkChange['attributes']>> {
  const { fromCell } = await import('../../directory/attributes/service.ts')
  const definitions = await client.attributes.list({ signal }).catch((error: unknown) => {
    if (error instanceof RollbookError && error.status === 403) return []
    throw error
  })
  const typed = (name: string, text: string) => {
    const definition = definitions.find((one) => one.name === name)
    return definition === undefined ? text : fromCell(definition, text)
  }
  return {
    ...Object.fromEntries(Object.entries(set).map(([name, text]) => [name, typed(name, text)])),
    ...Object.fromEntries(unset.map((name) => [name, null])),
  }
}

function wordingOf(action: Action, { to = '' }: RowOptions, group = ''): Wording {
  switch (action) {
    case 'enable':
      return { doing: 'Enabling', done: 'enabled', question: (users) => `Enable ${users}?` }
    case 'disable':
      return { doing: 'Disabling', done: 'disabled', question: (users) => `Disable ${users}?` }
    case 'set-role': {
      const question = (users: string) => `Give ${users} the role ${to}?`
      return { doing: 'Giving the role', done: `given the role ${to}`, question }
    }
    case 'set-attribute':
      return { doing: 'Setting values', done: 'changed', question: (users) => `Change the attributes of ${users}?` }
    case 'set-locale': {
      const question = (users: string) =>
        to === 'none' ? `Remove the language of ${users}?` : `Set the language of ${users} to ${to}?`
      return { doing: 'Setting the language', done: 'changed', question }
    }
    case 'set-end-date': {
      const question = (users: string) =>
        to === 'none' ? `Remove the end date of ${users}?` : `End the access of ${users} at ${to}?`
      return { doing: 'Setting the end date', done: 'changed', question }
    }
    case 'set-organization': {
      const question = (users: string) =>
        to === 'none' ? `Take ${users} out of their organizations?` : `Move ${users} to the organization ${to}?`
      return { doing: 'Moving', done: 'moved', question }
    }
    case 'add-to-group': {
      const question = (users: string) => `Add ${users} to ${group}?`
      return { doing: 'Adding', done: `added to ${group}`, question }
    }
    case 'remove-from-group': {
      const question = (users: string) => `Remove ${users} from ${group}?`
      return { doing: 'Removing', done: `removed from ${group}`, question }
    }
    case 'end-sessions':
      return { doing: 'Signing out', done: 'signed out', question: (users) => `Sign ${users} out everywhere?` }
    case 'delete':
      return { doing: 'Deleting', done: 'deleted', question: (users) => `Delete ${users}?` }
    case 'invite':
      return { doing: 'Inviting', done: 'invited', question: (users) => `Invite ${users}?` }
    case 'restore':
      return { doing: 'Restoring', done: 'restored', question: (users) => `Restore ${users}?` }
  }
}
