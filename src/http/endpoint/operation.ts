import type { ProblemCode } from '../../core/errors.ts'
import type { Access } from '../../core/permissions.ts'

/** An OpenAPI response or media type, as the document shows it. */
export type Answers = Record<string, Record<string, unknown>>

export type Docs = {
  operationId: string
  summary: string
  description: string
  answers: Answers
  problems: readonly ProblemCode[]
  isRepeatable: boolean
  isBodyOptional: boolean
  takesForm: boolean
  example?: unknown
  /** Media types of a body that is no JSON. */
  bodies?: Record<string, Record<string, unknown>>
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the OpenAPI document says beyond the schemas that Fastify works with. */
    docs?: Docs
    /** The body is a file: it may come packed, and take as long as it needs. */
    takesFile?: boolean
  }
}

type Operation = {
  name: string
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  access: Access
  /** Also for somebody who has to change the password before anything else. */
  duringPasswordChange?: boolean
  /** A POST that takes no `Idempotency-Key`, because repeating it does no harm. */
  isRepeatable?: boolean
  /** The body may be left out. */
  isBodyOptional?: boolean
  /** The body may also be a form, as the RFCs of OAuth have it. */
  takesForm?: boolean
  /** The body is a file: it may come packed, and take as long as it needs. */
  takesFile?: boolean
  /** A body that is no JSON, by its media types. */
  bodies?: Record<string, Record<string, unknown>>
  description: string
  answers: Answers
  problems?: readonly ProblemCode[]
  /** A body that works as it stands when it is sent from the docs page. */
  example?: unknown
  schema?: Record<string, unknown>
}

const noParameters = { type: 'object', additionalProperties: false, properties: {} } as const

/**
 * A route's options from what it is: operationId is function name, path and method, every other character than
 * [0-9A-Za-z_] replaced by `_`; the summary is the function name in Title Case. They are promised to clients as anchors
 * of the docs page.
 */
export function operation({
  name,
  method,
  path,
  access,
  duringPasswordChange = false,
  isRepeatable = false,
  isBodyOptional = false,
  takesForm = false,
  takesFile = false,
  bodies,
  description,
  answers,
  problems = [],
  example,
  schema,
}: Operation) {
  const docs: Docs = {
    operationId: `${name}${path}_${method.toLowerCase()}`.replaceAll(/\W/g, '_'),
    summary: name.replaceAll(/(^|_)(\w)/g, (_, gap: string, letter: string) => `${gap && ' '}${letter.toUpperCase()}`),
    description,
    answers,
    problems,
    isRepeatable,
    isBodyOptional,
    takesForm,
    ...(example !== undefined && { example }),
    ...(bodies !== undefined && { bodies }),
  }
  return {
    method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: {
      access,
      docs,
      ...(duringPasswordChange && { duringPasswordChange }),
      ...(takesFile && { takesFile }),
    },
    // A parameter that nobody knows is a mistake; a load balancer may add what it likes to what is public.
    ...(access !== 'public' && { schema: { querystring: noParameters, ...schema } }),
    ...(access === 'public' && schema && { schema }),
  }
}
