/**
 * `rollbook audit`: checks the chain of audit records, keeps its end, and copies the records out of the store. What is
 * asked of the API is in audit-list.ts.
 */
import { createWriteStream, existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { loadConfig } from '../../core/config.ts'
import { OperatorError } from '../../core/errors.ts'
import { counted, duration } from '../../lib/amounts.ts'
import type { AuditCheckpoint } from '../../record/audit/schema.ts'
import type { Verdict } from '../../record/audit/verify-store.ts'
import { syncNames } from '../../store/db/sqlite/sync.ts'
import { examples } from '../terminal/examples.ts'
import { UsageError } from '../terminal/failure.ts'
import { interruptible } from '../terminal/interruption.ts'
import { showProgress } from '../terminal/progress.ts'
import { fileWriter, tell } from '../terminal/standard-output.ts'
import { visibleJson } from '../terminal/visible-text.ts'
import { addAuditList, addAuditTail } from './list.ts'
import { openForReading, type ReadStore } from './read-store.ts'

type Options = { dataDir?: string }

const whose = ['--data-dir <directory>', 'whose store to read (default: the configured one)'] as const

export function addAudit(program: Command): void {
  const audit = program
    .command('audit')
    .summary('see who did what; check the audit, export it')
    .description(
      'Who did what. list and tail ask the API; the others read the store itself, also while it is served, and change nothing.',
    )
  examples(audit, [
    ['rollbook audit list --user ada --limit 20', 'what was done to somebody of late'],
    ['rollbook audit verify --checkpoint /backup/checkpoint.json', 'that nobody tampered with it'],
  ])
  addAuditList(audit)
  addAuditTail(audit)
  const verify = audit
    .command('verify')
    .summary('check that no record was changed or removed')
    .description(
      'Goes through all records. Of the first broken one it says the number, the id and what is wrong, and answers 1. That records are missing at the end only an earlier checkpoint can tell.',
    )
    .option('--checkpoint <file>', 'an earlier end of the chain, which must still be in it')
    .option(...whose)
    .action(runVerify)
  examples(verify, [
    ['rollbook audit verify', 'that all records are as they were written'],
    ['rollbook audit verify --checkpoint /backup/checkpoint.json', 'and that none is missing at the end'],
  ])
  const checkpoint = audit
    .command('checkpoint')
    .summary('write down where the chain ends now')
    .description(
      'Writes the number and the hash of the newest record, to be kept where nobody who can change the store can change it.',
    )
    .argument('[file]', 'a file that is not there yet (default: standard output)')
    .option(...whose)
    .action(runCheckpoint)
  examples(checkpoint, [
    ['rollbook audit checkpoint', 'on standard output'],
    ['rollbook audit checkpoint /backup/checkpoint.json', 'into a file'],
  ])
  const exporting = audit
    .command('export')
    .summary('write all records as NDJSON')
    .description(
      'Writes all records, the oldest first, one in JSON on each line: one consistent state, also while the server runs.',
    )
    .argument('[file]', 'a file that is not there yet (default: standard output)')
    .option('--after <seq>', 'only records with a greater number', readSeq)
    .option(...whose)
    .action(runExport)
  examples(exporting, [
    ['rollbook audit export /backup/audit.ndjson', 'all of it'],
    ['rollbook audit export --after 120000 | gzip > news.ndjson.gz', 'what is new'],
  ])
}

function readSeq(text: string): number {
  if (/^(0|[1-9]\d{0,14})$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be the number of a record.')
}

async function runVerify({ checkpoint: file, dataDir }: Options & { checkpoint?: string }): Promise<void> {
  const { verifyStore } = await import('../../record/audit/verify-store.ts')
  const checkpoint = file === undefined ? undefined : readCheckpoint(file)
  const begun = performance.now()
  const verdict = await reading(dataDir, async ({ db }, signal) => {
    const progress = showProgress({ label: 'Verifying' })
    const onProgress = (done: number, total: number) => {
      signal.throwIfAborted()
      progress.update(done, total)
    }
    return verifyStore(db, { checkpoint, onProgress }).finally(progress.end)
  })
  report(verdict, performance.now() - begun, checkpoint)
}

function report({ base, head, records, waiting, fault }: Verdict, ms: number, checkpoint?: AuditCheckpoint): void {
  if (fault !== undefined) {
    const id = fault.record_id === null ? '' : ` (record ${fault.record_id})`
    throw new OperatorError(`The audit is broken at seq ${fault.seq}${id}: ${fault.detail}.`)
  }
  if (waiting > 0) tell(`${counted(waiting, 'record')} without a place in the chain yet: not verified.`)
  if (base.seq > 0) tell(`Retention has removed the records up to seq ${base.seq}.`)
  if (checkpoint === undefined) tell('Without a checkpoint it cannot be known whether records are missing at the end.')
  tell(`Verified ${counted(records, 'record')} in ${duration(ms)}: all are as they were written.`)
  process.stdout.write(`${head.seq} ${head.hash}\n`)
}

async function runCheckpoint(file: string | undefined, { dataDir }: Options): Promise<void> {
  const { checkpoint } = await import('../../record/audit/service.ts')
  const made = await reading(dataDir, ({ db }) => checkpoint(db, { created_at: new Date().toISOString() }))
  await write(Readable.from([`${JSON.stringify(made)}\n`]), file)
}

async function runExport(file: string | undefined, { after, dataDir }: Options & { after?: number }): Promise<void> {
  const [{ toNdjson }, { ends, find, walk }] = await Promise.all([
    import('../../record/audit/export.ts'),
    import('../../record/audit/service.ts'),
  ])
  let records = 0
  await reading(dataDir, async ({ db }, signal) => {
    const plan = { filters: {}, descending: false, ...(after !== undefined && { after }) }
    async function* lines() {
      for await (const found of walk((search) => find(db, search), plan, await ends(db))) {
        records += found.length
        yield toNdjson(found)
      }
    }
    await write(Readable.from(lines(), { objectMode: false }), file, signal)
  })
  tell(`Exported ${counted(records, 'record')}.`)
}

/** Works on one state of the store, until the operator asks to stop. */
function reading<T>(dataDir: string | undefined, work: (store: ReadStore, signal: AbortSignal) => Promise<T>) {
  return interruptible(async (signal) => {
    const store = await openForReading(loadConfig(process.env), dataDir)
    try {
      return await work(store, signal)
    } catch (error) {
      // A stream that is stopped says only that it was.
      signal.throwIfAborted()
      throw error
    } finally {
      await store.close()
    }
  })
}

/** A file is for its owner only, as all that says who did what, and has its name only when it is whole. */
async function write(content: Readable, file: string | undefined, signal?: AbortSignal): Promise<void> {
  const options = signal ? { signal } : {}
  if (file === undefined) {
    const put = fileWriter(visibleJson)
    return pipeline(
      content,
      async (pieces: AsyncIterable<Uint8Array | string>) => {
        for await (const piece of pieces) await put(Buffer.from(piece))
      },
      options,
    )
  }
  refuseExisting(file)
  const draft = `${file}.${process.pid}.part`
  try {
    await pipeline(content, createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }), options)
    refuseExisting(file)
    renameSync(draft, file)
    syncNames(file)
  } finally {
    rmSync(draft, { force: true })
  }
}

function refuseExisting(file: string): void {
  if (existsSync(file)) throw new OperatorError(`${file} already exists and was not changed. Choose another name.`)
}

function readCheckpoint(file: string): AuditCheckpoint {
  const text = readFileSync(file, 'utf8')
  let found: Partial<AuditCheckpoint> | null
  try {
    found = JSON.parse(text) as typeof found
  } catch (cause) {
    throw new UsageError(`${file} is not JSON: give the file that rollbook audit checkpoint wrote.`, { cause })
  }
  if (Number.isSafeInteger(found?.seq) && typeof found?.hash === 'string' && typeof found.created_at === 'string') {
    return found as AuditCheckpoint
  }
  throw new UsageError(`${file} is no checkpoint: give the file that rollbook audit checkpoint wrote.`)
}
