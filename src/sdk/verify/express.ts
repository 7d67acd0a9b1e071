/**
 * `@rollbook/sdk/verify/express`: `const requires = guard(verifier)`, and `app.get('/reports', requires('reports:read'), …)`.
 * Uses Node's own types, so it also works with other frameworks that pass `IncomingMessage`, `ServerResponse` and `next`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from './caller.ts'
import { problemContentType, VerifyError } from './errors.ts'
import { checkFor } from './guard.ts'
import type { NeedsArguments } from './needs.ts'
import type { Verifier } from './verifier.ts'

declare global {
  namespace Express {
    interface Request {
      /** Set on guarded routes. */
      caller: Caller
    }
  }
}

export type Middleware = (
  request: IncomingMessage & { caller: Caller },
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void

export function guard(verifier: Pick<Verifier, 'verify'>): (...needs: NeedsArguments) => Middleware {
  return (...needs) => {
    const check = checkFor(verifier, needs)
    return (request, response, next) => {
      check(request).then((found) => {
        if (found instanceof VerifyError) {
          response.writeHead(found.status, { ...found.headers, 'content-type': problemContentType })
          response.end(JSON.stringify(found.toProblem()))
        } else {
          request.caller = found
          next()
        }
      }, next)
    }
  }
}
