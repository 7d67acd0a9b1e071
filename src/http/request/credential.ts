import type { Actor } from '../../core/actor.ts'

/** An accepted credential. */
export type Credential = {
  kind: 'api_key' | 'session' | 'access_token'
  actor: Actor
  /** Epoch milliseconds; Infinity if it does not expire. */
  endsAtMs: number
  issuedAtMs: number
}

/**
 * Returns the credential with this text if it is accepted. `isUse` counts the question as a use of the credential: the
 * caller serves its holder.
 */
export type LookUp<Found extends Credential = Credential> = (
  text: string,
  now: number,
  options?: { isUse: boolean },
) => Promise<Found | undefined>

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor
    /** The credential that identified the actor. */
    credential: Credential | undefined
    /** Epoch milliseconds at which the request was received. */
    now: number
  }
}
