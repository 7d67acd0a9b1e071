/** Runs `rollbook users import`. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { ignoredMembers } from '../../administration/imports/schema.ts'
import { counted, duration, grouped, rate } from '../../lib/amounts.ts'
import { cellsOfRecord } from '../../lib/csv-records.ts'
import type { ReportLine } from '../../moving-in/reading/report.ts'
import type { ImportJob, RollbookClient } from '../../sdk/client/index.ts'
import { uuidv7 } from '../../sdk/client/uuid.ts'
import { type RemoteOptions, withServer } from '../server/connect.ts'
import { canContinue, commandOf } from '../terminal/continue-command.ts'
import { exitCodeOf, exitCodes } from '../terminal/exit-codes.ts'
import { Failed, UsageError } from '../terminal/failure.ts'
import { isForPeople, type OutputOptions, printOne, tell } from '../terminal/output.ts'
import { showProgress } from '../terminal/progress.ts'
import { isQuiet } from '../terminal/standard-output.ts'
import { visible } from '../terminal/visible-text.ts'
import { guessedMapping } from './guess-mapping.ts'
import { checkFiles, type Homes, type Input, type InputOptions, openInput } from './input.ts'
import { prepareOrganizations, readOrganizationsOf } from './organizations.ts'
import { type Placed, placer } from './reject-place.ts'
import { collectRejects, type Rejects, rejectsFile } from './rejects.ts'
import { checkRoles } from './role-map.ts'
import { type Feed, feed } from './send.ts'

export type ImportOptions = InputOptions &
  OutputOptions &
  RemoteOptions & {
    update?: true
    match?: 'username' | 'email' | 'external_id' | 'user_id'
    onConflict?: 'reject' | 'skip'
    dryRun?: true
    yes?: true
    withoutOrganizations?: true
    rejects?: string
    report?: string
    resume?: string
    cancel?: string
    retryFor: number
  }

export async function runImport(file: string | undefined, options: ImportOptions): Promise<void> {
  if (options.cancel !== undefined) {
    if (file !== undefined || options.resume !== undefined)
      throw new UsageError('--cancel takes only the id of an import, without a file or --resume.')
    return cancel(options.cancel, options)
  }
  if (file === undefined) throw new UsageError('Give the file to import, or - for standard input.')
  checkOptions(options)
  checkFiles(file, options)
  if ((options.from === 'csv' || options.from === 'json') && options.mapping === undefined)
    options.mappingText = await guessedMapping(file, options)
  await withServer(options, (client, signal) => importFile(client, signal, file, options)).finally(() => {
    // Do not wait for the writer of the pipe once reading has stopped.
    if (file === '-') process.stdin.destroy()
  })
}

function checkOptions({ from, mapping, format, report, roleMap, keepIds, ...rest }: ImportOptions): void {
  const { passwords, hashConfig, organizations, withoutOrganizations } = rest
  const ofSources = { mapping, roleMap, keepIds, report, passwords, hashConfig, organizations, withoutOrganizations }
  const sourceOptions = Object.entries({ ...ofSources, unverifiedEmails: rest.unverifiedEmails }).filter(
    ([, value]) => value !== undefined,
  )
  if (from === undefined && sourceOptions.length > 0) {
    throw new UsageError(
      `--${sourceOptions[0]?.[0].replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} is only for an export of another system. Give --from too.`,
    )
  }
  if (from !== undefined && format !== undefined)
    throw new UsageError('--from implies the format. Give either --from or --format.')
  if (mapping !== undefined && from !== 'csv' && from !== 'json')
    throw new UsageError(`--mapping is only for --from csv and --from json: --from ${from} has its own mapping.`)
  if (rest.clearPasswords !== undefined && from !== 'keycloak' && from !== 'ldif')
    throw new UsageError('--clear-passwords is only for --from keycloak and --from ldif.')
  if (report !== undefined && existsSync(report) && !isReport(report)) {
    throw new UsageError(
      `${report} already exists, is not a report, and was not changed. Give another name with --report.`,
    )
  }
}

/** Whether a file is a report. Each run may replace the report of an earlier run, but no other file. */
function isReport(file: string): boolean {
  try {
    const lines = JSON.parse(readFileSync(file, 'utf8')) as Partial<ReportLine>[]
    return Array.isArray(lines) && lines.every((line) => line?.what && line.why && line.count && Array.isArray(line.of))
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

async function cancel(jobId: string, options: ImportOptions): Promise<void> {
  await withServer(options, async (client, signal) => {
    const job = await client.imports.cancel(jobId, { signal })
    await print(job, options)
    tell(`Cancelled after ${counted(job.rows_done, 'row')}. Their changes stay.`)
  })
}

async function importFile(
  client: RollbookClient,
  signal: AbortSignal,
  file: string,
  options: ImportOptions,
): Promise<void> {
  const patienceMs = options.retryFor * 1000
  const startedAt = performance.now()
  await checkRoles(client, signal, options)
  const job = await startOrResume(client, signal, options)
  if (job.isEnded) throw new UsageError(`The import ${job.job_id} is ${job.state}, so it cannot be continued.`)
  const { match } = job
  if (match === 'identity') {
    throw new UsageError(`The job ${job.job_id} synchronizes a directory, so it cannot be continued with a file.`)
  }
  const homes = await homesOf(client, signal, file, options, job.dry_run)
  let input = await openInput(file, options, homes)
  tellIgnored(input)
  const target = rejectsFile(options.rejects, file, input.format)
  // A dry run writes rejected rows only with --rejects.
  const isKept = !job.dry_run || options.rejects !== undefined
  let rejects = collectRejects(isKept ? target : undefined, input.format, input.header)
  const progress = isQuiet()
    ? undefined
    : showProgress({ label: job.dry_run ? 'Checking' : 'Importing', counting: 'row' })
  let rowsDone = job.rows_done
  let hasStarted = rowsDone > 0
  const placeOf = placer(input)
  const places: Places = new Map()
  const how: Feed = {
    client,
    signal,
    patienceMs,
    options: {
      job_id: job.job_id,
      mode: job.mode,
      match,
      on_conflict: job.on_conflict,
      dryRun: job.dry_run,
      ...(file !== '-' && { file_name: basename(file) }),
    },
    onProgress(now, position) {
      rowsDone = now.rows_done
      progress?.update(position, input.size, rowsDone)
    },
    onReject: (reject, row) => {
      rejects.add(reject, row)
      if (places.size < placesKept) places.set(reject.row, placeOf(reject, row))
    },
    onSend: () => {
      hasStarted = true
    },
  }
  tell(
    `${job.dry_run ? 'Checking' : 'Importing'} ${file === '-' ? 'standard input' : file} as job ${job.job_id}${rowsDone > 0 ? `, from row ${grouped(rowsDone + 1)}` : ''}.`,
  )
  if (rowsDone > 0) {
    const which = rowsDone === 1 ? 'Row 1 is' : `Rows 1 to ${grouped(rowsDone)} are`
    tell(`${which} already done and will not be compared. Use the same file with which the import started.`)
  }
  if (input.size !== undefined) progress?.update(0, input.size, rowsDone)
  let before: Counts = job
  try {
    const done = await feed(input, job, how).catch(async (error) => {
      if (!job.dry_run || (error as { code?: string }).code !== 'import_mismatch' || file === '-') throw error
      // After a restart the server does not know what the earlier rows of a dry run would have done.
      tell('The server was restarted and lost the dry run. Checking again from the first row.')
      rejects.discard()
      input = await openInput(file, options, homes)
      rejects = collectRejects(isKept ? target : undefined, input.format, input.header)
      how.options.job_id = uuidv7()
      before = nothing
      return feed(input, { rows_done: 0, rejected: 0 }, how)
    })
    progress?.end()
    await finish(done, { input, rejects, places, options, before, ms: performance.now() - startedAt })
  } catch (error) {
    progress?.end()
    rejects.discard()
    if (hasStarted && canContinue(error, signal)) {
      const done = await rowsDoneOf(client, how.options.job_id)
      const text = `Interrupted after row ${grouped(done ?? rowsDone)}. To continue, run:\n  ${commandToContinue(how.options.job_id)}`
      process.stderr.write(`${text.split('\n').map(visible).join('\n')}\n`)
    }
    const { errors = [] } = error as { errors?: readonly { code: string }[] }
    if (errors.some(({ code }) => code === 'unknown_member')) {
      const { explanationOf } = await import('../terminal/explain-error.ts')
      throw new Failed(`${explanationOf(error)}\n${hintFor(options, input.format)}`, exitCodeOf(error), {
        cause: error,
      })
    }
    throw error
  } finally {
    homes?.memberships.close()
  }
}

/** Creates the organizations of the source. Without them, their roles are still read. */
async function homesOf(
  client: RollbookClient,
  signal: AbortSignal,
  file: string,
  options: ImportOptions,
  dryRun: boolean,
): Promise<Homes | undefined> {
  const memberships = await readOrganizationsOf(file, options)
  if (memberships === undefined) return undefined
  if (options.withoutOrganizations) return { memberships, ids: new Map(), leftOut: memberships.leftOut }
  return prepareOrganizations(client, signal, memberships, dryRun)
}

/** Says which columns of an export are not imported. */
function tellIgnored({ header }: Input): void {
  const names = header === undefined ? [] : (cellsOfRecord(header.toString()) ?? []).map((name) => name.trim())
  for (const [name, why] of Object.entries(ignoredMembers))
    if (names.includes(name)) tell(`The column ${name} is ignored: ${why.replaceAll('`', '')}.`)
}

const verdicts = ['created', 'updated', 'unchanged', 'skipped', 'rejected'] as const
type Counts = Pick<ImportJob, 'rows_done' | (typeof verdicts)[number]>
const nothing: Counts = { rows_done: 0, created: 0, updated: 0, unchanged: 0, skipped: 0, rejected: 0 }

type Started = Counts &
  Pick<ImportJob, 'job_id' | 'state' | 'dry_run'> &
  Partial<Pick<ImportJob, 'mode' | 'match' | 'on_conflict'>> & { isEnded: boolean }

/** Returns a new job, or the job to continue. Its own options are the defaults. */
async function startOrResume(client: RollbookClient, signal: AbortSignal, options: ImportOptions): Promise<Started> {
  const { update, match, onConflict, dryRun, resume } = options
  const importOptions = {
    ...(update && { mode: 'update' as const }),
    ...(match !== undefined && { match }),
    ...(onConflict !== undefined && { on_conflict: onConflict }),
    ...(dryRun && { dry_run: true }),
  }
  const fresh = { ...nothing, state: 'running', dry_run: false, isEnded: false } as const
  if (resume === undefined) return { ...fresh, job_id: uuidv7(), ...importOptions }
  const found = await client.imports.get(resume, { signal }).catch((error) => {
    // Its first part never arrived, so start it now with the same id.
    if ((error as { code?: string }).code === 'import_not_found') return undefined
    throw error
  })
  if (found === undefined) tell('The server does not know this import. Starting it now.')
  return {
    ...fresh,
    job_id: resume,
    ...found,
    ...importOptions,
    isEnded: found?.state === 'done' || found?.state === 'cancelled',
  }
}

/** By row number, for as many rows as the response lists. */
type Places = Map<number, Placed>
const placesKept = 100

type Ended = { input: Input; rejects: Rejects; places: Places; options: ImportOptions; before: Counts; ms: number }

async function finish(job: ImportJob, { input, rejects, places, options, before, ms }: Ended): Promise<void> {
  const file = rejects.save()
  await print(job, options)
  const { created, updated, rejected } = job
  const rows = job.rows_done - before.rows_done
  const speed = rows > 1000 ? `, ${rate(rows, ms)} rows/s` : ''
  tell(
    `${job.dry_run ? 'Checked' : 'Imported'} ${counted(rows, 'row')} in ${duration(ms)}${speed}: ${countsOf(job, before)}.`,
  )
  if (before.rows_done > 0) tell(`In total, ${counted(job.rows_done, 'row')}: ${countsOf(job, nothing)}.`)
  if (job.dry_run) tell('Nothing was changed.')
  else if (created + updated === 0 && rejected === 0) tell('Nothing has changed: all users already match the file.')
  const leftOut = input.report?.lines() ?? []
  const lost = printReport(leftOut, options.report)
  if (rejected > 0) {
    for (const [code, { count, detail }] of reasons(job, places))
      tell(`  ${code}: ${detail}${count > 1 ? ` (and ${count - 1} more of the first ${job.rejects.length})` : ''}`)
    if (job.rejects.some(({ code }) => code === 'unknown_member')) tell(hintFor(options, input.format))
    const were = `${counted(rejected, 'row')} ${job.dry_run ? 'would be' : rejected === 1 ? 'was' : 'were'} rejected`
    const where = file === undefined ? 'Give --rejects <file> to save them with the reasons.' : undefined
    throw new Failed(
      where === undefined ? `${were}. They are in ${file}, with the reasons.` : `${were}. ${where}`,
      exitCodes.someRowsFailed,
    )
  }
  if (lost > 0) throw new Failed(`${counted(lost, 'user')} could not be imported.`, exitCodes.someRowsFailed)
}

/** Returns advice about unknown members and columns. */
function hintFor({ from }: ImportOptions, format: Input['format']): string {
  if (from !== undefined) return 'This is a bug in the conversion. Please report it.'
  return format === 'csv'
    ? 'Change the first line of the file, or run this with --from csv: it guesses which column is which member (docs/migrate/mapping.md).'
    : 'Rename or remove these members, or run this with --from json: it guesses which path is which member. --from also reads exports of other systems (docs/migrate.md).'
}

function countsOf(job: Counts, before: Counts): string {
  const counts = verdicts.map((what) => [what, job[what] - before[what]] as const).filter(([, count]) => count > 0)
  return counts.map(([what, count]) => `${grouped(count)} ${what}`).join(', ') || 'no rows'
}

/** Returns the reasons for rejected rows, with an example of each. */
function reasons({ rejects }: ImportJob, places: Places): Map<string, { count: number; detail: string }> {
  const found = new Map<string, { count: number; detail: string }>()
  for (const { row, code = '', detail = '' } of rejects) {
    const reason = found.get(code)
    if (reason) reason.count++
    else {
      const { place, value } = places.get(row) ?? { place: `row ${row}`, value: '' }
      found.set(code, { count: 1, detail: `${place}: ${detail}${value}` })
    }
  }
  return found
}

/** Reports what could not be imported, and returns how many users are affected. */
function printReport(lines: readonly ReportLine[], file: string | undefined): number {
  if (file !== undefined) {
    const draft = `${file}.${process.pid}.part`
    writeFileSync(draft, `${JSON.stringify(lines, undefined, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true })
    renameSync(draft, file)
  }
  if (lines.length > 0) {
    tell('Not imported:')
    for (const { what, why, count, of } of lines) {
      const examples = of.length === 0 ? '' : ` [${of.slice(0, 3).join(', ')}${count > 3 ? ', …' : ''}]`
      tell(`  ${grouped(count)} × ${what}: ${why}${examples}`)
    }
  }
  return lines.reduce((sum, { what, count }) => sum + (what === 'user' ? count : 0), 0)
}

/**
 * Prints the job without its list of rejected rows, which the file contains completely. On a terminal the messages report it
 * in a sentence.
 */
async function print({ rejects: _, ...job }: ImportJob, options: ImportOptions): Promise<void> {
  if (isForPeople(options)) return
  await printOne(job, options)
}

/** Returns how many rows the server has done, if it responds quickly. An unanswered part may be done. */
async function rowsDoneOf(client: RollbookClient, jobId: string): Promise<number | undefined> {
  try {
    return (await client.imports.get(jobId, { retries: 0, timeoutMs: 2000 })).rows_done
  } catch {
    return undefined
  }
}

/** Returns the command that continues the job. */
function commandToContinue(jobId: string): string {
  const args = process.argv.slice(2)
  const at = args.findIndex((arg) => arg === '--resume' || arg.startsWith('--resume='))
  if (at >= 0) args.splice(at, args[at] === '--resume' ? 2 : 1)
  return commandOf([...args, '--resume', jobId])
}
