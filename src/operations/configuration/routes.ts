import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { fileLimits } from '../../core/configuration-file.ts'
import { AppError } from '../../core/errors.ts'
import { refreshSoon } from '../../directory/attributes/service.ts'
import { refuseWithout } from '../../http/endpoint/access.ts'
import { writeQuery } from '../../http/endpoint/change.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { etag } from '../../http/endpoint/response-parts.ts'
import { acceptedType } from '../../http/request/accepted-type.ts'
import { isNotModified } from '../../http/request/conditional.ts'
import { wholeDocument } from '../../http/response/whole-document.ts'
import { JsonSyntaxError, parseStrictJson } from '../../lib/strict-json.ts'
import * as answers from './answers.ts'
import { findGeneration } from './apply.ts'
import { type Configurator, type FileText, jsonFile, withPlaces, yamlFile } from './configurator.ts'
import { fileSchema } from './document.ts'
import { exportOf, exportText } from './export.ts'
import { readHistory } from './history.ts'
import { readState } from './state.ts'

type Needs = Pick<HttpLayer, 'contextOf' | 'makeChange' | 'links' | 'storage' | 'log'> & { configurator: Configurator }

const path = '/configuration'
const yamlTypes = ['application/yaml', 'application/x-yaml', 'text/yaml']

const applyQuery = {
  ...writeQuery,
  properties: {
    ...writeQuery.properties,
    allow_delete: {
      type: 'integer',
      minimum: 0,
      maximum: fileLimits.objects,
      description: 'How many objects the file may delete. Default: 0. A plan ignores it.',
    },
    source: {
      type: 'string',
      minLength: 1,
      maxLength: 256,
      description: 'Where the file is from, such as a commit. It is recorded.',
    },
    rotate: {
      type: 'array',
      maxItems: fileLimits.objects,
      items: { type: 'string', maxLength: 2100 },
      description:
        'Objects that get a new secret if they exist, as `keys/main-api`: `provisioning`, `webhooks` and `keys`. Repeat the parameter for several.',
    },
  },
} as const

type ApplyQuery = { dry_run?: boolean; allow_delete?: number; source?: string; rotate?: string[] }

export async function routes(app: FastifyInstance, needs: Needs): Promise<void> {
  readRoute(app, needs)
  historyRoute(app, needs)
  schemaRoute(app)
  // Only here is a body YAML, or JSON that begins with a byte order mark.
  await app.register(async (scope) => {
    scope.removeContentTypeParser('application/json')
    scope.addContentTypeParser(['application/json', ...yamlTypes], { parseAs: 'buffer' }, (request, body, done) => {
      request.rawBody = body as Buffer
      done(null, body)
    })
    applyRoute(scope, needs)
  })
}

function readRoute(app: FastifyInstance, { contextOf, links }: Needs): void {
  app.route({
    ...operation({
      name: 'get_configuration',
      method: 'GET',
      path,
      access: 'configuration:read',
      scope: 'global',
      description: answers.getDescription,
      responses: {
        200: {
          description: 'The file.',
          headers: etag('configuration'),
          content: {
            'application/json': { schema: { $ref: '#/components/schemas/Configuration' } },
            'application/yaml': { schema: { type: 'string' } },
          },
        },
        304: { description: 'The configuration has not changed since this `If-None-Match`.' },
      },
      problems: ['not_acceptable', 'precondition_failed', 'malformed_header'],
    }),
    async handler(request, reply) {
      const type = acceptedType(request, ['application/json', 'application/yaml'])
      const { db } = contextOf(request)
      const state = await readState(db)
      reply.header('etag', state.etag).header('vary', 'accept')
      if (isNotModified(request, state.etag)) return reply.code(304).send()
      const exported = exportOf(state, await findGeneration(db))
      if (type === 'application/json') return exported.document
      const text = await exportText(exported, `${links.issuer()}/configuration.schema.json`)
      return reply.type('application/yaml; charset=utf-8').send(text)
    },
  })
}

function historyRoute(app: FastifyInstance, { contextOf }: Needs): void {
  app.route({
    ...operation({
      name: 'get_configuration_history',
      method: 'GET',
      path: `${path}/history`,
      access: 'configuration:read',
      scope: 'global',
      description: answers.historyDescription,
      returns: 'ConfigurationHistory',
      sendsText: true,
      responses: { 200: 'The applies and the drift.' },
    }),
    handler: (request) => readHistory(contextOf(request).db),
  })
}

function schemaRoute(app: FastifyInstance): void {
  const send = wholeDocument('application/schema+json; charset=utf-8', () => JSON.stringify(fileSchema()))
  app.route({
    ...operation({
      name: 'get_configuration_schema',
      method: 'GET',
      path: `${path}.schema.json`,
      access: 'public',
      scope: 'global',
      description: answers.schemaDescription,
      responses: {
        200: {
          description: 'The schema.',
          content: { 'application/schema+json': { schema: { type: 'object', additionalProperties: true } } },
        },
      },
    }),
    handler: (request, reply) => send(request, reply),
  })
}

function applyRoute(app: FastifyInstance, { makeChange, configurator, storage, log }: Needs): void {
  app.route({
    bodyLimit: fileLimits.bytes,
    ...operation({
      name: 'apply_configuration',
      method: 'POST',
      path,
      access: 'configuration:read',
      scope: 'global',
      // Each of its changes may need it.
      recent: true,
      description: answers.applyDescription,
      query: applyQuery,
      returns: 'ConfigurationPlan',
      sendsText: true,
      bodies: answers.bodies,
      responses: { 200: { description: 'What was changed, or would be.', addedHeaders: etag('configuration') } },
      problems: [
        'malformed_json',
        'malformed_yaml',
        'malformed_header',
        'unsupported_media_type',
        'body_too_large',
        'validation_failed',
        'precondition_failed',
        'deletion_not_allowed',
        'permission_denied',
        'managed_elsewhere',
      ],
    }),
    async handler(request, reply) {
      const isDryRun = isPlan(request)
      if (!isDryRun) refuseWithout(request.actor, { access: 'configuration:write' }, request.method)
      const { allow_delete = 0, source, rotate = [] } = request.query as ApplyQuery
      const file = await fileIn(request)
      const { result, dryRun } = await withPlaces(file, () =>
        makeChange(request, reply, 'configuration.apply', {
          async input() {
            const ifMatch = request.headers['if-match']
            const options = { source, allow_delete, rotate, isPlan: isDryRun, ifMatch }
            const input = await configurator.inputFor(file, request, options)
            // A new webhook receives what happens from now on.
            if (!isDryRun) await storage.settleJournal()
            return input
          },
        }),
      )
      const { secrets, etag, ...plan } = result
      if (!dryRun && plan.changes.some(({ kind }) => kind === 'attributes')) {
        await refreshSoon({ storage, log }, request.now)
      }
      reply.header('etag', etag)
      return dryRun ? plan : { ...plan, secrets }
    },
  })
}

function isPlan({ query }: FastifyRequest): boolean {
  return (query as ApplyQuery).dry_run ?? false
}

/** @throws AppError `malformed_json`, `malformed_yaml` */
async function fileIn({ headers, rawBody = new Uint8Array() }: FastifyRequest): Promise<FileText> {
  const isJson = /^application\/json\b/i.test(headers['content-type'] ?? '')
  const hasMark = rawBody[0] === 0xef && rawBody[1] === 0xbb && rawBody[2] === 0xbf
  const body = hasMark ? rawBody.subarray(3) : rawBody
  if (!isJson && !isUtf8(body)) throw new AppError('malformed_yaml', 'The file is not valid UTF-8.')
  if (!isJson) return yamlFile(Buffer.from(body).toString('utf8'))
  try {
    return jsonFile(parseStrictJson(body))
  } catch (error) {
    throw error instanceof JsonSyntaxError ? new AppError('malformed_json', error.message) : error
  }
}
