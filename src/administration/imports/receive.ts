/** Takes in the rows of an import while the file, or a part of it, arrives with a request. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import type { Hasher } from '../../directory/passwords/service.ts'
import type { FactorWriter } from '../../directory/users/service.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { uuidv7Maker } from '../../lib/uuidv7.ts'
import type { ChangeRequest } from '../../store/storage/storage.ts'
import { formOfBody, unpackedBody } from './body.ts'
import type { KeepTotp } from './factors.ts'
import { feed, type Job } from './feed.ts'
import type { ImportOptions } from './imports.ts'
import { overlayKeeper } from './overlay-keeper.ts'
import { readCsv, readLines } from './rows.ts'
import type { ImportQuery } from './schema.ts'
import { readWorkbook, withWorkbook } from './workbook.ts'

const lostDryRun =
  'The earlier parts of this dry run are no longer available on this node. Send the file in one piece, or send all parts to one node, from row 0.'

export type ReceiverNeeds = Pick<HttpLayer, 'storage' | 'config' | 'clock' | 'originOf' | 'recheck' | 'log'> & {
  hasher: Hasher
  /** Called once per import. */
  keepTotp(): Promise<KeepTotp>
  factors: Pick<FactorWriter, 'findOwners'>
}

type Exchange = { request: FastifyRequest; reply: FastifyReply }

export type Receiver = {
  /** Returns when all rows of the body are done. */
  receive(exchange: Exchange, query: ImportQuery, jobId: string): Promise<void>
  close(): void
}

export function createReceiver(needs: ReceiverNeeds): Receiver {
  const { storage, config, hasher, keepTotp, factors, clock, log } = needs
  const newId = uuidv7Maker()
  const overlays = overlayKeeper()
  const stallMs = config.requestTimeoutSeconds * 1000
  // If there is more than one place, one is left for users who sign in during the import.
  const hashesAtOnce = Math.max(1, hasher.load().concurrency - 1)

  async function receive(
    { request, reply }: Exchange,
    query: ImportQuery,
    { jobId, workbook }: { jobId: string; workbook?: Blob },
  ): Promise<void> {
    const { from_row = 0, complete = true } = query
    const options = optionsOf(request, query)
    const signal = abortSignalOf(reply)
    const readAgain = () => askAgain(needs, request)
    const start = async (): Promise<Job['progress']> =>
      (await storage.change('imports.begin', { job_id: jobId, options }, await readAgain())).result
    let progress = await start()
    let overlay = options.dry_run ? overlays.overlayOf(jobId) : undefined
    try {
      if (overlay !== undefined && progress.rows_done !== overlay.rows && progress.state !== 'done') {
        // Its overlay is lost, or at another node: the dry run can only start over.
        if (from_row > 0) throw new AppError('import_mismatch', lostDryRun)
        overlays.drop(jobId)
        overlay = overlays.overlayOf(jobId)
        await storage.change('imports.forget', { job_id: jobId }, await readAgain())
        progress = await start()
      }
      await feed(
        {
          storage,
          hasher,
          productName: config.productName,
          hashesAtOnce,
          actor: request.actor,
          get roles() {
            return storage.rules.roles
          },
          keepTotp: await keepTotp(),
          factors,
          request: readAgain,
          overlay,
          newId: () => newId(clock()),
          now: clock,
          signal,
        },
        { job_id: jobId, options, progress },
        { ...rowsOf(request, query, { stallMs, workbook }), fromRow: from_row, isLast: complete },
      )
      if (options.dry_run && complete) overlays.drop(jobId)
    } catch (error) {
      // Another request owns this import; do not mark it interrupted.
      if (error instanceof AppError && error.code === 'import_busy') throw error
      await storage
        .change('imports.interrupt', { job_id: jobId }, { actor: request.actor, now: clock(), requestId: request.id })
        .catch((err: unknown) => log.warn({ err, request_id: request.id }, 'could not mark an import as interrupted'))
      throw error
    } finally {
      // Not the one that another request took.
      if (overlay !== undefined) overlays.giveBack(jobId)
    }
  }

  return {
    receive(exchange, query, jobId) {
      const { request } = exchange
      return formOfBody(request).format === 'xlsx'
        ? withWorkbook(
            () => unpackedBody(request, stallMs),
            (workbook) => receive(exchange, query, { jobId, workbook }),
          )
        : receive(exchange, query, { jobId })
    },
    close: () => overlays.close(),
  }
}

function optionsOf(request: FastifyRequest, query: ImportQuery): ImportOptions {
  const { mode = 'create', on_conflict = 'reject', match = 'username', dry_run = false, file_name } = query
  const name = file_name === undefined ? {} : { file_name }
  return { mode, on_conflict, match, dry_run, format: formOfBody(request).format, ...name }
}

/** Reads the rows of the body, and reports how many lines of the file precede them; null if unknown. */
function rowsOf(
  request: FastifyRequest,
  query: ImportQuery,
  { stallMs, workbook }: { stallMs: number; workbook: Blob | undefined },
) {
  if (workbook !== undefined) return { rows: readWorkbook(workbook), fromLine: 0 }
  const { from_row = 0, from_line, count_lines = true } = query
  const fromLine = count_lines ? (from_line ?? (from_row === 0 ? 0 : null)) : null
  const body = unpackedBody(request, stallMs)
  const { format, encoding } = formOfBody(request)
  if (format === 'ndjson') return { rows: readLines(body), fromLine }
  const how = { linesBefore: fromLine, isHeaderCounted: from_line === undefined, encoding }
  return { rows: readCsv(body, how), fromLine }
}

/** Aborts when the client leaves before it has the response. */
function abortSignalOf({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) left.abort(new AppError('malformed_request', 'The client has left.'))
  })
  return left.signal
}

/** Checks the caller again, because a file can take long, and returns the request for the next change. */
async function askAgain({ clock, recheck, originOf }: ReceiverNeeds, request: FastifyRequest): Promise<ChangeRequest> {
  request.now = clock()
  await recheck(request)
  const { actor, now, id: requestId } = request
  return { actor, now, requestId, origin: originOf(request) }
}
