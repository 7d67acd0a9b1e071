import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { AppError, afterParts } from '../../core/errors.ts'
import { refuseWithout } from '../../http/endpoint/access.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { replayed, text } from '../../http/endpoint/response-parts.ts'
import { pathId } from '../../http/request/path-id.ts'
import { sendStream } from '../../http/response/send-stream.ts'
import { allowAnyDuration } from '../../http/server/arrival.ts'
import { uuidv7Maker } from '../../lib/uuidv7.ts'
import * as answers from './answers.ts'
import { formOfBody, mediaTypes } from './body.ts'
import * as imports from './imports.ts'
import { jobIdOf } from './job-id.ts'
import { createReceiver, type Receiver, type ReceiverNeeds } from './receive.ts'
import { type ImportQuery, importQuerySchema, type ListRows, listImportsSchema, listRowsSchema } from './schema.ts'

type Needs = ReceiverNeeds & Pick<HttpLayer, 'contextOf' | 'makeChange'>

export async function routes(app: FastifyInstance, needs: Needs): Promise<void> {
  const receiver = createReceiver(needs)
  app.addHook('onClose', () => receiver.close())
  // Only here is a body a file of any length.
  await app.register(async (scope) => {
    scope.addContentTypeParser(mediaTypes, (_request, payload, done) => done(null, payload))
    importUsers(scope, needs, receiver)
  })
  listImports(app, needs)
  getImport(app, needs)
  listImportRows(app, needs)
  cancelImport(app, needs)
}

function importUsers(app: FastifyInstance, { contextOf }: Needs, receiver: Receiver): void {
  const newId = uuidv7Maker()
  app.route({
    ...operation({
      name: 'import_users',
      method: 'POST',
      path: '/users/import',
      access: 'users:import',
      scope: 'organization',
      // A row can grant a role, and set a password, an email address or a factor.
      recent: true,
      takesFile: true,
      description: answers.importDescription,
      query: importQuerySchema,
      returns: 'ImportJob',
      responses: {
        200: {
          description:
            'The import with its counts. Check `rejected`: the status is 200 even if every row was rejected.',
          headers: { 'Dry-Run': text('`true`: no user was changed.'), ...replayed },
        },
      },
      bodies: answers.bodies,
      problems: [
        'malformed_header',
        'malformed_csv',
        'malformed_spreadsheet',
        'unsupported_media_type',
        'unsupported_content_encoding',
        'body_too_large',
        'overloaded',
        'request_timeout',
        'import_busy',
        'import_not_found',
        'import_cancelled',
        'import_finished',
        'import_mismatch',
        'import_gap',
        'idempotency_mismatch',
      ],
    }),
    async handler(request, reply) {
      const query = request.query as ImportQuery
      // `unchanged` in a dry run tells whether a guessed value is the user's.
      if (query.dry_run && query.mode === 'update')
        refuseWithout(request.actor, { access: 'users:read' }, request.method)
      const withRowsDone = async (error: unknown) => {
        const job = await imports.get(contextOf(request), jobId).catch(() => undefined)
        if (query.dry_run || job === undefined || job.rows_done === 0) return error
        return afterParts(
          error,
          `The first ${job.rows_done} rows are imported and stay; the import continues after them.`,
        )
      }
      formOfBody(request)
      const { jobId, isByKey } = jobIdOf(request, query.job_id, newId)
      const wasDone = isByKey && (await imports.isDone(contextOf(request), jobId))
      const limitAgain = allowAnyDuration(request.raw)
      try {
        await receiver.receive({ request, reply }, query, jobId)
      } catch (error) {
        throw await withRowsDone(isByKey ? asKeyMismatch(error) : error)
      } finally {
        limitAgain()
      }
      if (wasDone) reply.header('idempotency-replayed', 'true')
      if (query.dry_run) reply.header('dry-run', 'true')
      return imports.get(contextOf(request), jobId)
    },
  })
}

/** An Idempotency-Key identifies one request; a job_id identifies the import. */
function asKeyMismatch(error: unknown): unknown {
  if (!(error instanceof AppError) || !/^import_(mismatch|finished)$/.test(error.code)) return error
  return new AppError(
    'idempotency_mismatch',
    'This Idempotency-Key was used for another file or other options. Use a new key.',
  )
}

function listImports(app: FastifyInstance, { contextOf }: Needs): void {
  app.route({
    ...operation({
      name: 'list_imports',
      method: 'GET',
      path: '/imports',
      access: 'users:import',
      scope: 'organization',
      description: answers.listDescription,
      query: listImportsSchema,
      returns: 'ImportJob[]',
      responses: { 200: 'The imports of the last month.' },
    }),
    handler(request) {
      const { limit = 20 } = request.query as { limit?: number }
      return imports.list(contextOf(request), limit)
    },
  })
}

function getImport(app: FastifyInstance, { contextOf }: Needs): void {
  app.route({
    ...operation({
      name: 'get_import',
      method: 'GET',
      path: '/imports/{job_id}',
      access: 'users:import',
      scope: 'organization',
      description: answers.getDescription,
      returns: 'ImportJob',
      responses: { 200: 'The import.' },
      problems: ['import_not_found'],
    }),
    handler: (request) => imports.get(contextOf(request), pathId(request, 'job_id')),
  })
}

function listImportRows(app: FastifyInstance, { contextOf }: Needs): void {
  app.route({
    ...operation({
      name: 'list_import_rows',
      method: 'GET',
      path: '/imports/{job_id}/rows',
      access: 'users:import',
      scope: 'organization',
      description: answers.rowsDescription,
      query: listRowsSchema,
      responses: answers.rows,
      problems: ['import_not_found'],
    }),
    async handler(request, reply) {
      const { verdict, after_row } = request.query as ListRows
      const wanted = verdict === undefined ? undefined : new Set<string>(verdict)
      const found = await imports.rows(contextOf(request), pathId(request, 'job_id'), {
        wanted,
        behind: after_row ?? 0,
      })
      reply.type('application/x-ndjson; charset=utf-8')
      return sendStream(reply, Readable.from(written(found), { objectMode: false }), 'identity')
    },
  })
}

function cancelImport(app: FastifyInstance, { contextOf, makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'cancel_import',
      method: 'POST',
      path: '/imports/{job_id}/cancel',
      access: 'users:import',
      scope: 'organization',
      description: answers.cancelDescription,
      returns: 'ImportJob',
      responses: { 200: { description: 'The import.' } },
      problems: ['import_not_found', 'import_finished'],
    }),
    async handler(request, reply) {
      const job_id = pathId(request, 'job_id')
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
