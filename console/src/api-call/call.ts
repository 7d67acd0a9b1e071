import type { Operations } from 'rollbook/client'

export type OperationName = keyof Operations

/** What an action of the page sends, with its real values. Secrets of people (passwords) are never in it. */
export type ApiCall = {
  /** `GET /users`, as the client names it. */
  operation: OperationName
  path?: Readonly<Record<string, string>>
  /** What is undefined is left out; a list is repeated. */
  query?: Readonly<Record<string, unknown>>
  body?: unknown
  /** A media type other than JSON that is asked for. */
  accept?: string
  /** The name of a file that is sent as the body, and what it is. */
  file?: { name: string; contentType: string }
  ifMatch?: string
}
