/** `@rollbook/sdk/verify/fetch`: `const requires = guard(verifier)`, and `requires('reports:read', (request, caller) => …)`. */
import type { Caller } from './caller.ts'
import { VerifyError } from './errors.ts'
import { checkFor } from './guard.ts'
import type { RouteNeeds } from './needs.ts'
import type { Verifier } from './verifier.ts'

export type Handler<Rest extends unknown[] = []> = (request: Request, ...rest: Rest) => Response | Promise<Response>

export function guard(verifier: Pick<Verifier, 'verify'>) {
  return <Rest extends unknown[]>(needs: RouteNeeds, handler: Handler<[Caller, ...Rest]>): Handler<Rest> => {
    const check = checkFor(verifier, [needs])
    return async (request, ...rest) => {
      const found = await check(request)
      return found instanceof VerifyError ? found.toResponse() : handler(request, found, ...rest)
    }
  }
}
