import type { Operations } from 'rollbook/client'

export type OperationName = keyof Operations

/** A request of the page, with its real values but never with passwords. */
export type ApiCall = {
  /** The client's name: `GET /users`. */
  operation: OperationName
  path?: Readonly<Record<string, string>>
  /** Undefined members are left out; lists are repeated. */
  query?: Readonly<Record<string, unknown>>
  body?: unknown
  /** A media type other than JSON. */
  accept?: string
  /** A file that is sent as the body. */
  file?: { name: string; contentType: string }
  ifMatch?: string
}
