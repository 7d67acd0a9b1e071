import type { Duty } from '../../core/actor.ts'
import type { ProblemCode } from '../../core/errors.ts'
import type { Access, RouteScope, ScopablePermission } from '../../core/permissions.ts'
import { writeQuery } from './change.ts'
import { bodyProblems, conditionProblems, readConditionProblems } from './problem-lists.ts'
import { type Recent, recentProblems } from './recent-authentication.ts'
import { refOf } from './response-parts.ts'
import { type DocumentedResponses, documentedResponses, type Responses } from './responses.ts'

export type Docs = {
  operationId: string
  summary: string
  description: string
  responses: DocumentedResponses
  problems: readonly ProblemCode[]
  isRepeatable: boolean
  isBodyOptional: boolean
  takesForm: boolean
  example?: unknown
  /** The media types of a body that is not JSON. */
  bodies?: Record<string, Record<string, unknown>>
  calledBy?: 'provider'
  security?: Record<string, []>[]
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Additions for the OpenAPI document to the schemas that Fastify uses. */
    docs?: Docs
    /** The body is a file: it may be compressed and take as long as it needs. */
    takesFile?: boolean
  }
}

type Operation = {
  name: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  access: Access
  /** Whether callers whose permission is limited to their organization may use it too. When in doubt, `global`. */
  scope: RouteScope
  /** With which limited permissions, if its own permission cannot be limited. */
  limitedAccess?: readonly ScopablePermission[]
  /** Also allowed while the session must do this first. */
  during?: readonly Duty[]
  /** A user may also do it with a personal key. */
  byPersonalKey?: boolean
  /** Whether an administrator who acts as the user may call it. Default: only what reads. */
  duringImpersonation?: boolean
  /** Needs a session that was authenticated in the last minutes: always, or as the request says. */
  recent?: Recent
  /** A POST that ignores `Idempotency-Key`: repeating it does no harm, or it has no credential to tie a key to. */
  isRepeatable?: boolean
  /** The body is optional. */
  isBodyOptional?: boolean
  /** The body may also be a form, as in the OAuth RFCs. */
  takesForm?: boolean
  /** The body is a file: it may be compressed and take as long as it needs. */
  takesFile?: boolean
  /** The media types of a body that is not JSON. */
  bodies?: Record<string, Record<string, unknown>>
  /** Identity providers call it by themselves: clients get no method for it. */
  calledBy?: 'provider'
  /** The security requirements of a public operation that takes a token of its own kind. */
  security?: Record<string, []>[]
  /** Markdown. It ends with the sentence about the permission, unless it names the permission itself as `{access}`. */
  description: string
  /** The parameters of the query. By default a change takes `dry_run`, and everything else takes none. */
  query?: ObjectSchema
  /** The name of the schema of the body. */
  body?: string
  /** The name of the schema of the response, as `User` or `User[]`: each 2xx response that lists no content has it. */
  returns?: string
  /** The handler sends JSON text that it has already; otherwise `returns` serializes what it returns. */
  sendsText?: boolean
  /** The resource has a version, and this is the word for it. Reads and changes take `If-Match`, responses have the `ETag`. */
  etag?: string
  /** By status. The problems are added. */
  responses: Responses
  /** Only what is particular to this operation: the rest follows from its body, query and `etag`. */
  problems?: readonly ProblemCode[]
  /** A body that works unchanged when sent from the docs page. */
  example?: unknown
}

type ObjectSchema = { type: 'object'; properties: Readonly<Record<string, unknown>> }

export const noParameters = { type: 'object', additionalProperties: false, properties: {} } as const

/**
 * Builds a route's options. The operationId is function name, path and method, with every character outside [0-9A-Za-z_]
 * replaced by `_`. It is promised to clients as an anchor of the docs page. The summary is the function name in Title Case.
 */
export function operation(declared: Operation) {
  const { name, method, path, access, scope, takesFile, body, returns, sendsText, responses, ...rest } = declared
  const { limitedAccess, recent, during, byPersonalKey, duringImpersonation, calledBy, isRepeatable = false } = declared
  const { example } = declared
  const query = rest.query ?? (method === 'GET' || isRepeatable ? noParameters : writeQuery)
  const docs: Docs = {
    operationId: `${name}${path}_${method.toLowerCase()}`.replaceAll(/\W/g, '_'),
    summary: name.split('_').map(capitalized).join(' '),
    description: withPermission(declared),
    responses: documentedResponses(responses, { ...declared, isRepeatable, parameters: query.properties }),
    problems: allProblems(declared, query),
    isRepeatable,
    isBodyOptional: rest.isBodyOptional ?? false,
    takesForm: rest.takesForm ?? false,
    ...(example !== undefined && { example }),
    ...(rest.bodies && { bodies: rest.bodies }),
    ...(calledBy && { calledBy }),
    ...(rest.security && { security: rest.security }),
  }
  // An unknown parameter is a mistake, except where a load balancer or a provider may add its own.
  const isStrict = access !== 'public' || (method !== 'GET' && calledBy === undefined)
  const schema = {
    ...((isStrict || rest.query) && { querystring: query }),
    ...(body !== undefined && { body: { $ref: `${body}#` } }),
    ...(returns !== undefined && !sendsText && { response: serializers(returns, responses) }),
  }
  return {
    method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: {
      access,
      scope,
      ...(limitedAccess && { limitedAccess }),
      docs,
      ...(during && { during }),
      ...(byPersonalKey && { byPersonalKey }),
      ...(duringImpersonation !== undefined && { duringImpersonation }),
      ...(recent && { recent }),
      ...(takesFile && { takesFile }),
    },
    ...(Object.keys(schema).length > 0 && { schema }),
  }
}

function withPermission({ access, description }: Operation): string {
  if (access === 'public' || access === 'any' || access === 'user') return description
  if (description.includes('{access}')) return description.replace('{access}', `\`${access}\``)
  return `${description} Needs the permission \`${access}\`.`
}

function allProblems({ method, body, etag, problems = [], recent }: Operation, query: ObjectSchema): ProblemCode[] {
  return [
    ...('cursor' in query.properties ? (['bad_cursor'] as const) : []),
    ...(body === undefined ? [] : bodyProblems),
    ...(etag === undefined || method === 'POST' ? [] : method === 'GET' ? readConditionProblems : conditionProblems),
    ...problems,
    ...(recent ? recentProblems : []),
  ]
}

/** The schemas with which Fastify serializes: one for all 2xx responses. */
function serializers(returns: string, responses: Responses) {
  const statuses = Object.keys(responses).filter((status) => status.startsWith('2'))
  return { [statuses.length === 1 ? String(statuses[0]) : '2xx']: refOf(returns, (name) => `${name}#`) }
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
