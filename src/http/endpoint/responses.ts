/** Completes the responses that an operation declares: what follows from its method and parameters is not repeated there. */
import { dryRun, etag as etagHeader, json, nextPage, replayed } from './response-parts.ts'

type Json = Record<string, unknown>
/** OpenAPI responses by status, as the document has them. */
export type DocumentedResponses = Record<string, Json>

/** Without `addedHeaders` it has exactly the `headers` that it lists: not every operation documents all that it sends. */
type Response = {
  description: string
  headers?: Json
  /** Headers after the usual ones. */
  addedHeaders?: Json
  /** By media type. Default: the JSON of the schema that the operation returns. */
  content?: Json
}
/** By status. A response with the usual headers and content is its description alone. */
export type Responses = Readonly<Record<number, string | Response>>

type Declared = {
  method: string
  isRepeatable: boolean
  /** The parameters of the query, by name. */
  parameters: Json
  returns?: string
  etag?: string
}

export function documentedResponses(responses: Responses, declared: Declared): DocumentedResponses {
  const statuses = Object.keys(responses)
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const { addedHeaders, ...own } = typeof response === 'string' ? { description: response } : response
      const isUsual = typeof response === 'string' || addedHeaders !== undefined
      const headers = isUsual ? { ...usualHeaders(status, statuses, declared), ...addedHeaders } : {}
      const { returns } = declared
      return [
        status,
        {
          ...own,
          ...(Object.keys(headers).length > 0 && { headers }),
          ...(returns !== undefined && status.startsWith('2') && !('content' in own) && { content: json(returns) }),
        },
      ]
    }),
  )
}

/** A change has a response of its own for a dry run if it has two of them: the one with status 200. */
function usualHeaders(status: string, statuses: readonly string[], declared: Declared): Json {
  const { method, isRepeatable, parameters, etag } = declared
  if (!status.startsWith('2')) return {}
  const takesDryRun = 'dry_run' in parameters
  const isDryRunOnly = takesDryRun && status === '200' && statuses.some((other) => /^2(?!00)/.test(other))
  return {
    ...(etag !== undefined && method !== 'DELETE' && !isDryRunOnly && etagHeader(etag)),
    ...(method === 'POST' && !isRepeatable && !isDryRunOnly && replayed),
    ...(takesDryRun && status === '200' && dryRun),
    ...('cursor' in parameters && nextPage),
  }
}
