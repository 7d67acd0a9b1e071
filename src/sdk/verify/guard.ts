/** What the adapters share: from what a route asks for to a caller or a refusal. */
import type { Caller } from './caller.ts'
import { VerifyError } from './errors.ts'
import { type NeedsArguments, readNeeds } from './needs.ts'
import type { VerifiableRequest } from './request.ts'
import type { Verifier } from './verifier.ts'

export type Check = (request: VerifiableRequest) => Promise<Caller | VerifyError>

/** Anything but a refusal is a fault, and goes on to where the framework takes faults. */
export function checkFor(verifier: Verifier, given: NeedsArguments): Check {
  const needs = readNeeds(given)
  return (request) =>
    verifier.verify(request, needs).catch((error) => {
      if (error instanceof VerifyError) return error
      throw error
    })
}
