import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import { writeQuery } from '../../http/endpoint/change.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { sendStream } from '../../http/response/send-stream.ts'
import { allowAnyDuration } from '../../http/server/arrival.ts'
import { uuidv7Maker } from '../../lib/uuidv7.ts'
import type { Hasher } from '../passwords/hash.ts'
import * as answers from './answers.ts'
import { formatOfBody, mediaTypes, unpackedBody } from './body.ts'
import { feed, type Job } from './feed.ts'
import { jobIdOf } from './job-id.ts'
import { overlayKeeper } from './overlay-keeper.ts'
import { readCsv, readLines } from './rows.ts'
import type { ImportQuery, ListRows } from './schema.ts'
import { importQuerySchema, listImportsSchema, listRowsSchema } from './schema.ts'
import * as imports from './service.ts'

type Id = { job_id: string }

const lostDryRun =
  'The earlier parts of this dry run are no longer available on this node. Send the file in one piece, or send all parts to one node, from row 0.'

type Needs = Pick<
  HttpLayer,
  'storage' | 'config' | 'clock' | 'contextOf' | 'makeChange' | 'originOf' | 'recheck' | 'log'
> & { hasher: Hasher }

export async function importRoutes(app: FastifyInstance, needs: Needs): Promise<void> {
  const { storage, config, hasher, clock, contextOf, makeChange, originOf, recheck, log } = needs
  const newId = uuidv7Maker()
  const overlays = overlayKeeper()
  app.addHook('onClose', () => overlays.close())
  // If there is more than one place, one is left for users who sign in meanwhile.
  const hashesAtOnce = Math.max(1, hasher.load().concurrency - 1)

  async function bring(request: FastifyRequest, query: ImportQuery, jobId: string): Promise<void> {
    const { mode = 'create', on_conflict = 'reject', match = 'username', dry_run = false } = query
    const { from_row = 0, from_line, count_lines = true, complete = true } = query
    const fromLine = count_lines ? (from_line ?? (from_row === 0 ? 0 : null)) : null
    const options = { mode, on_conflict, match, dry_run, format: formatOfBody(request) }
    const left = new AbortController()
    request.raw.once('close', () => {
      if (!request.raw.complete) left.abort(new AppError('malformed_request', 'The request was aborted.'))
    })
    const ask = async () => {
      request.now = clock()
      await recheck(request)
      const { actor, now, id: requestId } = request
      return { actor, now, requestId, origin: originOf(request) }
    }
    const begin = async () =>
      (await storage.change('imports.begin', { job_id: jobId, options }, await ask())).result as Job['progress']
    let progress = await begin()
    let overlay = dry_run ? overlays.take(jobId) : undefined
    try {
      if (overlay !== undefined && progress.rows_done !== overlay.rows && progress.state !== 'done') {
        // Its overlay is lost, or at another node: the dry run can only start over.
        if (from_row > 0) throw new AppError('import_mismatch', lostDryRun)
        overlays.drop(jobId)
        overlay = overlays.take(jobId)
        await storage.change('imports.forget', { job_id: jobId }, await ask())
        progress = await begin()
      }
      const body = unpackedBody(request, config.requestTimeoutSeconds * 1000)
      const rows =
        options.format === 'csv'
          ? readCsv(body, { linesBefore: fromLine, isHeaderCounted: from_line === undefined })
          : readLines(body)
      await feed(
        {
          storage,
          hasher,
          productName: config.productName,
          hashesAtOnce,
          roles: config.roles,
          request: ask,
          overlay,
          newId: () => newId(clock()),
          now: clock,
          signal: left.signal,
        },
        { job_id: jobId, options, progress },
        { rows, fromRow: from_row, fromLine, isLast: complete },
      )
      if (dry_run && complete) overlays.drop(jobId)
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

  // Only here is a body a file of any length.
  await app.register(async (scope) => {
    scope.addContentTypeParser(mediaTypes, (_request, payload, done) => done(null, payload))
    scope.route({
      ...operation({
        name: 'import_users',
        method: 'POST',
        path: '/users/import',
        access: 'users:import',
        isRepeatable: true,
        takesFile: true,
        description: answers.importDescription,
        answers: answers.imported,
        bodies: answers.bodies,
        problems: [
          'malformed_header',
          'malformed_csv',
          'unsupported_media_type',
          'unsupported_content_encoding',
          'request_timeout',
          'import_busy',
          'import_cancelled',
          'import_finished',
          'import_mismatch',
          'import_gap',
          'idempotency_mismatch',
          'validation_failed',
        ],
        schema: { querystring: importQuerySchema, response: { 200: { $ref: 'ImportJob#' } } },
      }),
      async handler(request, reply) {
        const query = request.query as ImportQuery
        formatOfBody(request)
        const { jobId, isByKey } = jobIdOf(request, query.job_id, newId)
        const wasDone = isByKey && (await imports.isDone(contextOf(request), jobId))
        const limitAgain = allowAnyDuration(request.raw)
        try {
          await bring(request, query, jobId)
        } catch (error) {
          // An Idempotency-Key identifies one request; a job_id identifies the import.
          const isOther = error instanceof AppError && /^import_(mismatch|finished)$/.test(error.code)
          if (!isByKey || !isOther) throw error
          throw new AppError(
            'idempotency_mismatch',
            'This Idempotency-Key was used for another file or other options. Use a new key.',
          )
        } finally {
          limitAgain()
        }
        if (wasDone) reply.header('idempotency-replayed', 'true')
        if (query.dry_run) reply.header('dry-run', 'true')
        return imports.get(contextOf(request), jobId)
      },
    })
  })

  app.route({
    ...operation({
      name: 'list_imports',
      method: 'GET',
      path: '/imports',
      access: 'users:import',
      description: answers.listDescription,
      answers: answers.listed,
      problems: ['validation_failed'],
      schema: { querystring: listImportsSchema, response: { 200: { type: 'array', items: { $ref: 'ImportJob#' } } } },
    }),
    handler(request) {
      const { limit = 20 } = request.query as { limit?: number }
      return imports.list(contextOf(request), limit)
    },
  })

  app.route({
    ...operation({
      name: 'get_import',
      method: 'GET',
      path: '/imports/{job_id}',
      access: 'users:import',
      description: answers.getDescription,
      answers: answers.found,
      problems: ['import_not_found'],
      schema: { response: { 200: { $ref: 'ImportJob#' } } },
    }),
    handler: (request) => imports.get(contextOf(request), (request.params as Id).job_id.toLowerCase()),
  })

  app.route({
    ...operation({
      name: 'list_import_rows',
      method: 'GET',
      path: '/imports/{job_id}/rows',
      access: 'users:import',
      description: answers.rowsDescription,
      answers: answers.rows,
      problems: ['import_not_found', 'validation_failed'],
      schema: { querystring: listRowsSchema },
    }),
    async handler(request, reply) {
      const { verdict, after_row } = request.query as ListRows
      const wanted = verdict === undefined ? undefined : new Set<string>(verdict)
      const jobId = (request.params as Id).job_id.toLowerCase()
      const found = await imports.rows(contextOf(request), jobId, { wanted, behind: after_row ?? 0 })
      reply.type('application/x-ndjson; charset=utf-8')
      return sendStream(reply, Readable.from(written(found), { objectMode: false }), 'identity')
    },
  })

  app.route({
    ...operation({
      name: 'cancel_import',
      method: 'POST',
      path: '/imports/{job_id}/cancel',
      access: 'users:import',
      description: answers.cancelDescription,
      answers: answers.found,
      problems: ['import_not_found', 'import_finished', 'validation_failed'],
      schema: { querystring: writeQuery, response: { 200: { $ref: 'ImportJob#' } } },
    }),
    async handler(request, reply) {
      const job_id = (request.params as Id).job_id.toLowerCase()
      await makeChange(request, reply, 'imports.cancel', { input: () => ({ job_id }) })
      return imports.get(contextOf(request), job_id)
    },
  })
}

async function* written(found: AsyncIterable<object[]>): AsyncGenerator<string> {
  for await (const rows of found) {
    if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  }
}
