/** The check shared by all adapters: returns the caller or a refusal. */
import type { Caller } from './caller.ts'
import { VerifyError } from './errors.ts'
import { type NeedsArguments, readNeeds } from './needs.ts'
import type { VerifiableRequest } from './request.ts'
import type { Verifier } from './verifier.ts'

export type Check = (request: VerifiableRequest) => Promise<Caller | VerifyError>

/** Returns refusals and throws other errors, which the framework handles. */
export function checkFor(verifier: Pick<Verifier, 'verify'>, needsArguments: NeedsArguments): Check {
  const needs = readNeeds(needsArguments)
  return (request) =>
    verifier.verify(request, needs).catch((error) => {
      if (error instanceof VerifyError) return error
      throw error
    })
}
