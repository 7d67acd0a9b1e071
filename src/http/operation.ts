import type { ProblemCode } from '../errors.ts'
import type { Access } from '../roles/permissions.ts'

/** An OpenAPI response or media type, as the document shows it. */
export type Answers = Record<string, Record<string, unknown>>

export type Docs = {
  operationId: string
  summary: string
  description: string
  answers: Answers
  problems: readonly ProblemCode[]
  example?: unknown
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the OpenAPI document says beyond the schemas that Fastify works with. */
    docs?: Docs
  }
}

type Operation = {
  name: string
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  access: Access
  description: string
  answers: Answers
  problems?: readonly ProblemCode[]
  /** A body that works as it stands when it is sent from the docs page. */
  example?: unknown
  schema?: Record<string, unknown>
}

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
    ...(example !== undefined && { example }),
  }
  return {
    method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { access, docs },
    ...(schema && { schema }),
  }
}
