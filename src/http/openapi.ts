import { randomBytes } from 'node:crypto'
import swagger from '@fastify/swagger'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { type ProblemCode, problems } from '../errors.ts'
import { problemContentType } from './problem.ts'

type Json = Record<string, unknown>
type OpenApiOperation = Json & {
  operationId: string
  parameters?: Json[]
  requestBody?: { content: Record<string, Json> }
}
export type OpenApiDocument = {
  info: Json
  paths: Record<string, Record<string, OpenApiOperation>>
  components: { schemas: Record<string, Json> }
}

/** What can be answered to each operation that asks for a credential, whatever it does. */
const always: readonly ProblemCode[] = ['credential_missing', 'credential_invalid', 'permission_denied', 'overloaded']
const onWrites: readonly ProblemCode[] = ['storage_unavailable', 'storage_full']
const onPosts: readonly ProblemCode[] = ['idempotency_in_progress', 'idempotency_mismatch', 'malformed_header']

const header = (name: string, description: string, schema: Json = { type: 'string' }) => ({
  name,
  in: 'header',
  description,
  schema,
})
const ifMatch = header('If-Match', 'The ETag that was read: change nothing when the user has changed since.')
const ifNoneMatch = header('If-None-Match', 'The ETag at hand: answer 304 when it still holds.')
const idempotencyKey = header(
  'Idempotency-Key',
  'Any text of your own that names this request; a repetition has no second effect.',
  {
    type: 'string',
    maxLength: 255,
  },
)

const problemSchema = {
  type: 'object',
  description: 'A problem document (RFC 9457).',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'Where the code is explained.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What happened here, and what to do next.' },
    instance: { type: 'string', description: 'The request id; quote it when you report a fault.' },
    code: { type: 'string', enum: Object.keys(problems), description: 'Stable; made for programs.' },
    errors: {
      type: 'array',
      description: 'The faults of the input, one by one.',
      items: {
        type: 'object',
        required: ['pointer', 'code', 'detail'],
        properties: {
          pointer: { type: 'string', description: 'The member (`#/username`) or the parameter (`?limit`).' },
          code: { type: 'string' },
          detail: { type: 'string' },
        },
      },
    },
  },
} as const

const description = `Rollbook administers the users of the product's web UI: list, create, update and delete them. It shares its
authorization with the main API: the same API key works for both.

Press **Authorize** and paste an API key, then open an operation and press **Execute**. The first start wrote an
administrator's key to \`admin-key\` in the data directory.

**It administers UI users only.** An account in the product's relational database is a separate step, usually a necessary
one, with the database's own tools: \`createuser\` and \`dropuser\`, or \`CREATE ROLE … SUPERUSER CREATEDB\` on PostgreSQL.
See [Create User](#/default/create_user_users_post) and [Delete User](#/default/delete_user_users__user_id__delete).`

/** Collects the routes as they are registered; `document` gives the OpenAPI document once all of them are. */
export async function describeApi(
  app: FastifyInstance,
  options: { basePath: string; publicPath: string; version: string; productName: string },
): Promise<{ document(): OpenApiDocument }> {
  const routes = new Map<string, RouteOptions>()
  app.addHook('onRoute', (route) => {
    const { operationId } = (route.schema ?? {}) as { operationId?: string }
    if (operationId !== undefined && route.method !== 'HEAD') routes.set(operationId, route)
  })
  await app.register(swagger, {
    stripBasePath: false,
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Rollbook: User Administration (Auth) API',
        version: options.version,
        description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
        contact: { name: 'Rollbook', url: 'https://github.com/rollbook/rollbook' },
      },
      servers: [{ url: options.publicPath || '/', description: options.productName }],
      components: {
        securitySchemes: {
          ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key, `rb_…`.' },
          Bearer: { type: 'http', scheme: 'bearer', description: 'The same API key as `Authorization: Bearer rb_…`.' },
        },
      },
    } as never,
    refResolver: { buildLocalReference: (json, _uri, _fragment, i) => String(json.$id ?? `Schema${i}`) },
  })
  return {
    document() {
      const found = structuredClone(app.swagger()) as unknown as OpenApiDocument
      return complete(found, routes, options.basePath)
    },
  }
}

function complete(document: OpenApiDocument, routes: Map<string, RouteOptions>, basePath: string): OpenApiDocument {
  const paths = Object.entries(document.paths).map(([path, operations]) => {
    for (const [method, operation] of Object.entries(operations)) {
      const route = routes.get(operation.operationId)
      if (route !== undefined) describeOperation(operation, method, route)
    }
    return [path.slice(basePath.length), operations] as const
  })
  document.paths = Object.fromEntries(paths)
  for (const schema of Object.values(document.components.schemas)) delete schema.title
  document.components.schemas.Problem = problemSchema
  return document
}

function describeOperation(operation: OpenApiOperation, method: string, { config, url }: RouteOptions): void {
  const { answers = {}, problems: own = [], example } = config?.docs ?? {}
  // Swagger UI shows operations without a tag under `default`, which is where their promised links point.
  operation.tags = []
  operation.responses = {
    ...answers,
    ...problemAnswers([...own, ...commonProblems(method, config?.access === 'public')]),
  }
  operation.security = config?.access === 'public' ? [] : [{ ApiKey: [] }, { Bearer: [] }]
  const added = [
    ...(own.includes('precondition_failed') ? [ifMatch] : []),
    ...(method === 'post' ? [idempotencyKey] : []),
    ...(method === 'get' && '304' in answers ? [ifNoneMatch] : []),
  ]
  if (added.length > 0) operation.parameters = [...(operation.parameters ?? []), ...added]
  for (const parameter of operation.parameters ?? []) describeParameter(parameter, url)
  const json = operation.requestBody?.content['application/json']
  if (json === undefined) return
  if (example !== undefined) json.example = example
  const patch = method === 'patch' ? { 'application/merge-patch+json': json } : {}
  operation.requestBody = {
    ...operation.requestBody,
    required: true,
    content: { 'application/json': json, ...patch },
  } as never
}

function commonProblems(method: string, isPublic: boolean): readonly ProblemCode[] {
  if (isPublic) return []
  return [...always, ...(method === 'get' ? [] : onWrites), ...(method === 'post' ? onPosts : [])]
}

function describeParameter(parameter: Json, url: string): void {
  const schema = parameter.schema as Json
  if (parameter.in === 'path') {
    parameter.description = url.includes('/keys/') ? 'The id of the API key.' : 'The id of the user.'
    parameter.schema = { type: 'string', format: 'uuid' }
  }
  // One click on Execute must not pull a million rows into a browser tab.
  if (parameter.name === 'limit') parameter.example = 20
  if (schema?.type === 'array') parameter.explode = true
  if (parameter.description === undefined && typeof schema?.description === 'string')
    parameter.description = schema.description
}

/** One answer for each status, which names every code that it can carry. */
function problemAnswers(codes: readonly ProblemCode[]): Json {
  const byStatus = Object.groupBy(new Set(codes), (code) => String(problems[code][0]))
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, list = []]) => [
      status,
      {
        description: list.map((code) => `\`${code}\`: ${problems[code][1]}.`).join(' '),
        ...(status === '503' && {
          headers: { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } },
        }),
        content: { [problemContentType.split(';')[0] as string]: { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  )
}

/** The document as text, with the name in the example for Create User made new each time: it can be sent as it stands. */
export function documentWriter(document: OpenApiDocument, exampleName: string): () => string {
  const text = JSON.stringify(document)
  return () => text.replaceAll(exampleName, `${exampleName}.${randomBytes(3).toString('hex')}`)
}
