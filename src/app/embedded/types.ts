/** `rollbook/server`, as programs see it: the package ships the types of this file with the code of open.ts. See docs/embed.md. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Caller, VerifiableRequest } from '../../sdk/verify/index.ts'
import type { NeedsArguments, RouteNeeds } from '../../sdk/verify/needs.ts'
import type { Settings } from './settings.ts'

export type { Caller, RouteNeeds, Settings, VerifiableRequest }

export type Options = {
  /** Receives the log, one line of JSON per call: `process.stdout`, for example. Default: no log. */
  log?: { write(line: string): unknown } | undefined
  /** Called when only a restart helps: from then on, changes are refused. Default: the error is thrown as an uncaught exception. */
  onFault?: ((error: Error) => unknown) | undefined
}

export type Rollbook = {
  /**
   * Serves a request of `node:http`, or of Express at the root or at the base path. Outside the base path it calls `next`;
   * without `next` the response is 404.
   */
  handler(request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): void
  /**
   * Serves a request of a Fetch API server such as Hono, or of this program itself. `address` is the client's address: limits
   * and the audit log need it, and `Request` does not have it.
   */
  fetch(input: Request | URL | string, init?: RequestInit & { address?: string | undefined }): Promise<Response>
  /** A Fastify plugin that serves everything under the base path: `app.register(rollbook.fastify)`. */
  fastify(app: FastifyInstance): Promise<void>
  /**
   * Returns the caller of a request, or the holder of a token or API key, with the rules of `rollbook/verify` and without
   * HTTP. @throws VerifyError with a complete response; TypeError if `needs` are malformed
   */
  verify(request: VerifiableRequest | string, ...needs: NeedsArguments): Promise<Caller>
  /** Refuses new requests, finishes running ones, ends streams and threads, and closes the storage. */
  close(): Promise<void>
}

/**
 * Opens the storage, migrates it, and returns the service. The environment is not read; pass `process.env` if you want its
 * settings. @throws ConfigError that names every fault; OperatorError if the storage cannot be opened
 */
export declare function openRollbook(settings: Settings, options?: Options): Promise<Rollbook>

export { VerifyError } from '../../sdk/verify/errors.ts'
