/** `@rollbook/sdk/verify/hono`: `const requires = guard(verifier)`, and `app.get('/reports', requires('reports:read'), …)`. */
import type { MiddlewareHandler } from 'hono'
import type { Caller } from './caller.ts'
import { VerifyError } from './errors.ts'
import { checkFor } from './guard.ts'
import type { NeedsArguments } from './needs.ts'
import type { Verifier } from './verifier.ts'

export type Guarded = { Variables: { caller: Caller } }

export function guard(verifier: Pick<Verifier, 'verify'>): (...needs: NeedsArguments) => MiddlewareHandler<Guarded> {
  return (...needs) => {
    const check = checkFor(verifier, needs)
    return async (context, next) => {
      const found = await check(context.req.raw)
      if (found instanceof VerifyError) return found.toResponse()
      context.set('caller', found)
      await next()
      return
    }
  }
}
