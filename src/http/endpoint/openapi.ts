import type { FastifyInstance, RouteOptions } from 'fastify'
import { type ProblemCode, problems } from '../../core/errors.ts'
import type { Access } from '../../core/permissions.ts'
import { problemContentType, problemsPath } from '../response/problem.ts'
import type { Docs } from './operation.ts'
import { subjectOf, subjects } from './subjects.ts'

type Json = Record<string, unknown>
/** Operations have no tags, which would change the links to them: `x-subject` groups them. */
type OpenApiOperation = Json & {
  operationId: string
  responses: Json
  'x-subject': string
  /** An identity provider calls it by itself, and no client does. */
  'x-called-by'?: 'provider'
}
export type OpenApiDocument = {
  openapi: string
  info: Json
  servers: Json[]
  'x-subjects': Record<string, string>
  paths: Record<string, Record<string, OpenApiOperation>>
  components: { schemas: Record<string, Json>; responses: Record<string, Json>; securitySchemes: Json }
}

/** Responses that every operation with a credential can have. */
const always: readonly ProblemCode[] = [
  'credential_missing',
  'credential_invalid',
  'ambiguous_credentials',
  'permission_denied',
  'validation_failed',
  'password_change_required',
  'factor_required',
  'not_while_impersonating',
  'rate_limited',
  'draining',
  'issuer_unavailable',
  'overloaded',
  'storage_unavailable',
]
const onWrites: readonly ProblemCode[] = [
  'cross_origin',
  'outcome_unknown',
  'storage_full',
  'unsupported_media_type',
  'unsupported_content_encoding',
]
/** What any request can meet, mostly before it reaches an operation. */
const onAnyRequest: readonly ProblemCode[] = [
  'malformed_request',
  'not_found',
  'method_not_allowed',
  'request_timeout',
  'body_too_large',
  'uri_too_long',
  'unsupported_content_encoding',
  'expectation_failed',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'overloaded',
  'storage_unavailable',
  'storage_damaged',
  'draining',
]
const onPosts: readonly ProblemCode[] = ['idempotency_in_progress', 'idempotency_mismatch', 'malformed_header']

const header = (name: string, description: string, schema: Json = { type: 'string' }) => ({
  name,
  in: 'header',
  description,
  schema,
})
const forPeople =
  'Only for signed-in users, with a session cookie or an access token; an API key gets 403 `user_required`.'
const ifMatch = header('If-Match', 'The ETag you read: nothing is changed if the resource has changed since.')
const ifMatchOfRead = header('If-Match', 'An ETag: the response is 412 if it is not the current one.')
const ifNoneMatch = header('If-None-Match', 'The ETag you have: the response is 304 if it is still current.')
const idempotencyKey = header(
  'Idempotency-Key',
  'Any text that identifies this request. Repeating the request has no second effect.',
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
    type: { type: 'string', format: 'uri-reference', description: 'A link to the explanation of the code.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What happened, and what to do next.' },
    instance: { type: 'string', description: 'The request id; quote it when you report a problem.' },
    code: { type: 'string', enum: Object.keys(problems), description: 'A stable code for programs.' },
    errors: {
      type: 'array',
      description: 'Each fault of the input.',
      items: {
        type: 'object',
        required: ['pointer', 'code', 'detail'],
        properties: {
          pointer: { type: 'string', description: 'The member (`#/username`) or the parameter (`?limit`).' },
          code: { type: 'string' },
          detail: { type: 'string' },
          line: { type: 'integer', description: 'Of a YAML file: the line, from 1.' },
          column: { type: 'integer', description: 'Of a YAML file: the column, from 1.' },
        },
      },
    },
  },
} as const

const description = `Rollbook administers the users of the product's web UI: list, create, update and delete them, and
sign them in. It shares its authorization with the main API: the same users, API keys and access tokens work for both.

Press **Authorize** and paste an API key, then open an operation and press **Try it out** and **Execute**. The first start
wrote an administrator's key to \`admin-key\` in the data directory. If you are signed in in this browser, you need no key.

**It administers UI users only.** An account in the product's relational database is a separate step, usually a necessary
one, with the tools of the database: \`createuser\` and \`dropuser\`, or \`CREATE ROLE … SUPERUSER CREATEDB\` on PostgreSQL.
See [Create User](#/default/create_user_users_post) and [Delete User](#/default/delete_user_users__user_id__delete).`

type ApiOptions = {
  basePath: string
  publicPath: string
  version: string
  productName: string
  schemas: readonly Json[]
}

type Described = {
  /** Built at the first call: most processes are never asked for it. */
  document(): OpenApiDocument
  /** The permission each operation needs, by operationId: OpenAPI has no member for permissions. */
  access(): ReadonlyMap<string, Access>
}

/** Collects the routes as they are registered. Call `document` and `access` once all of them are. */
export function describeApi(app: FastifyInstance, options: ApiOptions): Described {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    if (route.config?.docs !== undefined && route.method !== 'HEAD') routes.push(route)
  })
  let document: OpenApiDocument | undefined
  return {
    document() {
      document ??= buildDocument(routes, options)
      return document
    },
    access: () =>
      new Map(routes.map(({ config }) => [(config as { docs: Docs }).docs.operationId, config?.access as Access])),
  }
}

/** The paths without the operations that identity providers call. */
export function pathsOfClients({ paths }: OpenApiDocument): OpenApiDocument['paths'] {
  const called = Object.entries(paths).map(([path, methods]) => {
    const ofClients = Object.entries(methods).filter(([, operation]) => operation['x-called-by'] === undefined)
    return [path, Object.fromEntries(ofClients)] as const
  })
  return Object.fromEntries(called.filter(([, methods]) => Object.keys(methods).length > 0))
}

function buildDocument(routes: readonly RouteOptions[], options: ApiOptions): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {}
  for (const route of routes) {
    const path = route.url.slice(options.basePath.length).replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [String(route.method).toLowerCase()]: describeOperation(route, path) }
  }
  const schemas = options.schemas.map(({ $id, ...schema }) => [String($id), withDocumentRefs(schema)] as const)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Rollbook: User Administration (Auth) API',
      version: options.version,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      contact: { name: 'The maintainers of Rollbook' },
    },
    servers: [{ url: options.publicPath || '/', description: options.productName }],
    'x-subjects': Object.fromEntries(subjects.map(([name, , description]) => [name, description])),
    paths,
    components: {
      schemas: { ...Object.fromEntries(schemas), Problem: problemSchema },
      responses: { AnyProblem: anyProblem },
      securitySchemes: {
        ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key, `rb_…`.' },
        Bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The same API key as `Authorization: Bearer rb_…`, or an access token.',
        },
        ProviderToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'A token that an identity provider has signed for one request. It is no credential for any other operation.',
        },
      },
    },
  }
}

/** Our schemas refer to each other by name. */
function withDocumentRefs(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll(/"\$ref":"(\w+)#"/g, '"$ref":"#/components/schemas/$1"'))
}

function describeOperation(route: RouteOptions, path: string): OpenApiOperation {
  const {
    responses,
    problems: own,
    isRepeatable,
    isBodyOptional,
    takesForm,
    example,
    bodies,
    calledBy,
    security,
    ...words
  } = (route.config as { docs: Docs }).docs
  const { querystring, body } = (route.schema ?? {}) as { querystring?: Json; body?: Json }
  const method = String(route.method).toLowerCase()
  const isPublic = route.config?.access === 'public'
  const parameters = [
    ...[...route.url.matchAll(/:(\w+)/g)].map(([, name = '']) => pathParameter(name)),
    ...Object.entries((querystring?.properties ?? {}) as Record<string, Json>).map(queryParameter),
    ...(own.includes('precondition_failed') ? [method === 'get' ? ifMatchOfRead : ifMatch] : []),
    ...(method === 'post' && !isRepeatable ? [idempotencyKey] : []),
    ...(method === 'get' && '304' in responses ? [ifNoneMatch] : []),
  ]
  return {
    ...words,
    'x-subject': subjectOf(path),
    ...(route.config?.access === 'user' && { description: `${words.description}\n\n${forPeople}` }),
    ...(calledBy && { 'x-called-by': calledBy }),
    security: security ?? securityOf(route.config?.access),
    ...(parameters.length > 0 && { parameters }),
    ...(bodies && { requestBody: { content: bodies, required: true } }),
    ...(body && { requestBody: { ...requestBody(body, method, { example, takesForm }), required: !isBodyOptional } }),
    responses: {
      ...withProblems(responses, problemResponses([...own, ...commonProblems(method, { isPublic, isRepeatable })])),
      default: { $ref: '#/components/responses/AnyProblem' },
    },
  }
}

/** A status may have a response of the operation's own specification beside its problems. */
function withProblems(responses: Docs['responses'], refusals: Docs['responses']): Docs['responses'] {
  const shared = Object.entries(refusals).map(([status, refusal]) => {
    const own = responses[status]
    if (own === undefined) return [status, refusal] as const
    const content = { ...(own.content as Json), ...(refusal.content as Json) }
    return [status, { ...refusal, description: `${own.description} ${refusal.description}`, content }] as const
  })
  return { ...responses, ...Object.fromEntries(shared) }
}

/** The session cookie is not listed as a scheme: the docs page would ask for it, but browsers send it anyway. */
function securityOf(access: Access | undefined): Json[] {
  if (access === 'public') return []
  return access === 'user' ? [{ Bearer: [] }] : [{ ApiKey: [] }, { Bearer: [] }]
}

function requestBody(body: Json, method: string, { example, takesForm }: { example: unknown; takesForm: boolean }) {
  const schema = { $ref: String(body.$ref).replace(/^(\w+)#$/, '#/components/schemas/$1') }
  const content = { schema, ...(example !== undefined && { example }) }
  const form = takesForm ? { 'application/x-www-form-urlencoded': content } : {}
  const patch = method === 'patch' ? { 'application/merge-patch+json': content } : {}
  return { content: { 'application/json': content, ...form, ...patch } }
}

const pathIds: Record<string, string> = {
  group_id: 'group',
  organization_id: 'organization',
  key_id: 'API key',
  session_id: 'session',
  endpoint_id: 'webhook endpoint',
  delivery_id: 'delivery',
  job_id: 'import',
  mail_id: 'message',
  factor_id: 'second factor',
  connection_id: 'connection',
  identity_id: 'identity',
}

const pathNames: Record<string, string> = {
  name: 'The name of the attribute.',
  role: 'The name of the role.',
  domain: 'The domain, such as acme.example.',
}

function pathParameter(name: string): Json {
  const what = pathIds[name] ?? 'user'
  const description = pathNames[name]
  if (description !== undefined) return { name, in: 'path', required: true, description, schema: { type: 'string' } }
  const schema = { type: 'string', format: 'uuid' }
  return { name, in: 'path', required: true, description: `The id of the ${what}.`, schema }
}

function queryParameter([name, { description, ...schema }]: [string, Json]): Json {
  return {
    name,
    in: 'query',
    ...(description !== undefined && { description }),
    schema,
    ...(schema.type === 'array' && { explode: true }),
    // One click on Execute must not pull a million rows into a browser tab.
    ...(name === 'limit' && { example: 20 }),
  }
}

function commonProblems(
  method: string,
  { isPublic, isRepeatable }: { isPublic: boolean; isRepeatable: boolean },
): readonly ProblemCode[] {
  const every: readonly ProblemCode[] = [
    'malformed_request',
    ...(method === 'get' ? [] : onWrites),
    ...(method === 'post' && !isRepeatable ? onPosts : []),
  ]
  return isPublic ? every : [...always, ...every]
}

/** One response per status, naming every code that it can have. */
function problemResponses(codes: readonly ProblemCode[]): Docs['responses'] {
  const byStatus = Object.groupBy(new Set(codes), (code) => String(problems[code][0]))
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, list = []]) => [
      status,
      {
        description: list.map((code) => `\`${code}\`: ${problems[code][1]}.`).join(' '),
        ...((status === '503' || status === '429') && {
          headers: { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } },
        }),
        content: problemContent(list[0] as ProblemCode),
      },
    ]),
  )
}

/** One response for what is not listed by status: listing it at each operation would make the document unreadable. */
const anyProblem = {
  description: `Any other problem. Every request can have these: ${onAnyRequest
    .map((code) => `${problems[code][0]} \`${code}\``)
    .join(', ')}.`,
  content: problemContent('internal_error'),
}

function problemContent(code: ProblemCode): Json {
  const schema = { $ref: '#/components/schemas/Problem' }
  return { [problemContentType.split(';')[0] as string]: { schema, example: exampleOf(code) } }
}

function exampleOf(code: ProblemCode): Json {
  const [status, title] = problems[code]
  const instance = '01a1f899-52f0-7569-a569-1812261617c9'
  return { type: `${problemsPath}#${code}`, title, status, detail: `${title}.`, instance, code }
}
