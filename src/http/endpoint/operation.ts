import type { Duty } from '../../core/actor.ts'
import type { ProblemCode } from '../../core/errors.ts'
import type { Access } from '../../core/permissions.ts'
import { type Recent, recentProblems } from './recent-authentication.ts'

/** An OpenAPI response or media type, as the document has it. */
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
  description: string
  answers: Answers
  problems?: readonly ProblemCode[]
  /** A body that works unchanged when sent from the docs page. */
  example?: unknown
  schema?: Record<string, unknown>
}

const noParameters = { type: 'object', additionalProperties: false, properties: {} } as const

/**
 * Builds a route's options. The operationId is function name, path and method, with every character outside [0-9A-Za-z_]
 * replaced by `_`. It is promised to clients as an anchor of the docs page. The summary is the function name in Title Case.
 */
export function operation({
  name,
  method,
  path,
  access,
  during,
  byPersonalKey = false,
  duringImpersonation,
  recent,
  isRepeatable = false,
  isBodyOptional = false,
  takesForm = false,
  takesFile = false,
  bodies,
  calledBy,
  security,
  description,
  answers,
  problems = [],
  example,
  schema,
}: Operation) {
  const docs: Docs = {
    operationId: `${name}${path}_${method.toLowerCase()}`.replaceAll(/\W/g, '_'),
    summary: name.split('_').map(capitalized).join(' '),
    description,
    answers,
    problems: recent ? [...problems, ...recentProblems] : problems,
    isRepeatable,
    isBodyOptional,
    takesForm,
    ...(example !== undefined && { example }),
    ...(bodies !== undefined && { bodies }),
    ...(calledBy && { calledBy }),
    ...(security && { security }),
  }
  // An unknown parameter is a mistake, except where a load balancer or a provider may add its own.
  const isStrict = access !== 'public' || (method !== 'GET' && calledBy === undefined)
  return {
    method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: {
      access,
      docs,
      ...(during && { during }),
      ...(byPersonalKey && { byPersonalKey }),
      ...(duringImpersonation !== undefined && { duringImpersonation }),
      ...(recent && { recent }),
      ...(takesFile && { takesFile }),
    },
    ...(isStrict && { schema: { querystring: noParameters, ...schema } }),
    ...(!isStrict && schema && { schema }),
  }
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
