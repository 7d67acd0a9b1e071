/** What the adapters share: from what a route asks for to a caller or a refusal. */
import type { Caller } from './caller.ts'
import { VerifyError } from './errors.ts'
import type { VerifiableRequest } from './request.ts'
import type { Needs, Verifier } from './verifier.ts'

/** A permission, or more; without anything every valid credential will do. */
export type RouteNeeds = string | Needs

export type Check = (request: VerifiableRequest) => Promise<Caller | VerifyError>

/** Anything but a refusal is a fault, and goes on to where the framework takes faults. */
export function checkFor(verifier: Verifier, needs: RouteNeeds = {}): Check {
  const asked = typeof needs === 'string' ? { permission: needs } : needs
  return (request) =>
    verifier.verify(request, asked).catch((error) => {
      if (error instanceof VerifyError) return error
      throw error
    })
}
