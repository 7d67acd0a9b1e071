/**
 * `rollbook audit verify`, `checkpoint` and `export`, which read the store. `list` and `tail`, which use the API, are in
 * list.ts.
 */

import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { type Command, InvalidArgumentError } from 'commander'
import { system } from '../../core/actor.ts'
import { loadConfig } from '../../core/config.ts'
import { OperatorError } from '../../core/errors.ts'
import { scopeOf } from '../../core/scope.ts'
import { counted, duration } from '../../lib/amounts.ts'
import type { AuditCheckpoint } from '../../record/audit/schema.ts'
import type { Verdict } from '../../record/audit/service.ts'
import { hasTable } from '../../store/db/catalog.ts'
import type { Db } from '../../store/db/db.ts'
import { examples } from '../terminal/examples.ts'
import { UsageError } from '../terminal/failure.ts'
import { interruptible } from '../terminal/interruption.ts'
import { writeNewFile } from '../terminal/new-file.ts'
import { showProgress } from '../terminal/progress.ts'
import { writeLine } from '../terminal/standard-output.ts'
import { visibleJson } from '../terminal/visible-text.ts'
import { addAuditList, addAuditTail } from './list.ts'
import { openForReading, type ReadStore } from './read-store.ts'

type Options = { dataDir?: string }

const whose = ['--data-dir <directory>', 'data directory of the SQLite store (default: the configured store)'] as const

export function addAudit(program: Command): void {
  const audit = program
    .command('audit')
    .summary('list, verify and export audit records')
    .description(
      'Shows who did what. list and tail use the API. verify, checkpoint and export read the store directly, even while the server runs, and change nothing.',
    )
  examples(audit, [
    ['rollbook audit list --user ada --limit 20', 'show the latest changes to a user'],
    ['rollbook audit verify --checkpoint /backup/checkpoint.json', 'check that no record was changed or removed'],
  ])
  addAuditList(audit)
  addAuditTail(audit)
  const verify = audit
    .command('verify')
    .summary('check that no record was changed or removed')
    .description(
      'Checks all records, and the seals of closed access reviews. Reports the number, the id and the fault of the first broken record, with exit code 1. Records that are missing at the end can be detected only with an earlier checkpoint.',
    )
    .option('--checkpoint <file>', 'an earlier checkpoint, which the chain must still contain')
    .option(...whose)
    .action(runVerify)
  examples(verify, [
    ['rollbook audit verify', 'check that no record was changed'],
    ['rollbook audit verify --checkpoint /backup/checkpoint.json', 'also check that none is missing at the end'],
  ])
  const checkpoint = audit
    .command('checkpoint')
    .summary('write the current end of the chain')
    .description(
      'Writes the number and the hash of the newest record. Keep it where people who can change the store cannot change it.',
    )
    .argument('[file]', 'a new file (default: standard output)')
    .option(...whose)
    .action(runCheckpoint)
  examples(checkpoint, [
    ['rollbook audit checkpoint', 'write to standard output'],
    ['rollbook audit checkpoint /backup/checkpoint.json', 'write to a file'],
  ])
  const exporting = audit
    .command('export')
    .summary('write all records as NDJSON')
    .description(
      'Writes all records from one consistent snapshot, the oldest first, as one JSON object per line. The server may run meanwhile.',
    )
    .argument('[file]', 'a new file (default: standard output)')
    .option('--after <seq>', 'only records with a greater number', readSeq)
    .option(...whose)
    .action(runExport)
  examples(exporting, [
    ['rollbook audit export /backup/audit.ndjson', 'export all records'],
    ['rollbook audit export --after 120000 | gzip > news.ndjson.gz', 'export only new records'],
  ])
}

function readSeq(text: string): number {
  if (/^(0|[1-9]\d{0,14})$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be the number of a record.')
}

async function runVerify({ checkpoint: file, dataDir }: Options & { checkpoint?: string }): Promise<void> {
  const { verifyStore } = await import('../../record/audit/service.ts')
  const checkpoint = file === undefined ? undefined : readCheckpoint(file)
  const startedAt = performance.now()
  const verdict = await reading(dataDir, async ({ db }, signal) => {
    const progress = showProgress({ label: 'Verifying' })
    const onProgress = (done: number, total: number) => {
      signal.throwIfAborted()
      progress.update(done, total)
    }
    const verified = await verifyStore(db, { checkpoint, onProgress }).finally(progress.end)
    return { ...verified, brokenSeals: verified.fault === undefined ? await sealsOf(db) : [] }
  })
  report(verdict, performance.now() - startedAt, checkpoint)
  if (verdict.brokenSeals.length > 0) throw new OperatorError(verdict.brokenSeals.join('\n'))
}

/** What is wrong with the closed access reviews. A store of an earlier release has none. */
async function sealsOf(db: Db): Promise<string[]> {
  const { findBrokenSeals } = await import('../../operations/reviews/service.ts')
  return (await hasTable(db, 'reviews')) ? findBrokenSeals(db) : []
}

function report({ base, head, records, waiting, fault }: Verdict, ms: number, checkpoint?: AuditCheckpoint): void {
  if (fault !== undefined) {
    const id = fault.record_id === null ? '' : ` (record ${fault.record_id})`
    throw new OperatorError(`The audit is broken at seq ${fault.seq}${id}: ${fault.detail}.`)
  }
  if (waiting > 0) writeLine(`${counted(waiting, 'record')} not verified, because the chain does not contain them yet.`)
  if (base.seq > 0) writeLine(`Retention has deleted the records up to seq ${base.seq}.`)
  if (checkpoint === undefined)
    writeLine('Without --checkpoint, records that are missing at the end cannot be detected.')
  writeLine(`Verified ${counted(records, 'record')} in ${duration(ms)}. No record was changed.`)
  process.stdout.write(`${head.seq} ${head.hash}\n`)
}

async function runCheckpoint(file: string | undefined, { dataDir }: Options): Promise<void> {
  const { checkpoint } = await import('../../record/audit/service.ts')
  const checkpointed = await reading(dataDir, ({ db }) => checkpoint(db, { created_at: new Date().toISOString() }))
  await writeNewFile(Readable.from([`${JSON.stringify(checkpointed)}\n`]), file, { sanitize: visibleJson })
}

async function runExport(file: string | undefined, { after, dataDir }: Options & { after?: number }): Promise<void> {
  const { ends, find, toNdjson, walk } = await import('../../record/audit/service.ts')
  let records = 0
  await reading(dataDir, async ({ db }, signal) => {
    const plan = { scope: scopeOf(system), filters: {}, descending: false, ...(after !== undefined && { after }) }
    async function* lines() {
      for await (const found of walk((search) => find(db, search), plan, await ends(db))) {
        records += found.length
        yield toNdjson(found)
      }
    }
    await writeNewFile(Readable.from(lines(), { objectMode: false }), file, { sanitize: visibleJson, signal })
  })
  writeLine(`Exported ${counted(records, 'record')}.`)
}

/** Runs `work` on one snapshot of the store, until it is done or the operator interrupts it. */
function reading<T>(dataDir: string | undefined, work: (store: ReadStore, signal: AbortSignal) => Promise<T>) {
  return interruptible(async (signal) => {
    const store = await openForReading(loadConfig(process.env), dataDir)
    try {
      return await work(store, signal)
    } catch (error) {
      // After an interruption, report only that.
      signal.throwIfAborted()
      throw error
    } finally {
      await store.close()
    }
  })
}

function readCheckpoint(file: string): AuditCheckpoint {
  const text = readFileSync(file, 'utf8')
  let found: Partial<AuditCheckpoint> | null
  try {
    found = JSON.parse(text) as typeof found
  } catch (cause) {
    throw new UsageError(`${file} is not valid JSON. Give a file that rollbook audit checkpoint wrote.`, { cause })
  }
  if (Number.isSafeInteger(found?.seq) && typeof found?.hash === 'string' && typeof found.created_at === 'string') {
    return found as AuditCheckpoint
  }
  throw new UsageError(`${file} is not a checkpoint. Give a file that rollbook audit checkpoint wrote.`)
}
