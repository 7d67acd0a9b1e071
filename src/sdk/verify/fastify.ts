/** `@rollbook/sdk/verify/fastify`: `const requires = guard(verifier)`, and `{ onRequest: requires('reports:read') }` on a route. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from './caller.ts'
import { problemContentType, VerifyError } from './errors.ts'
import { checkFor } from './guard.ts'
import type { NeedsArguments } from './needs.ts'
import type { Verifier } from './verifier.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on guarded routes. */
    caller: Caller
  }
}

export type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

export function guard(verifier: Pick<Verifier, 'verify'>): (...needs: NeedsArguments) => Hook {
  return (...needs) => {
    const check = checkFor(verifier, needs)
    return async (request, reply) => {
      const found = await check(request.raw)
      if (!(found instanceof VerifyError)) {
        request.caller = found
        return
      }
      const { status, headers } = found
      return reply.code(status).headers(headers).type(problemContentType).send(JSON.stringify(found.toProblem()))
    }
  }
}
