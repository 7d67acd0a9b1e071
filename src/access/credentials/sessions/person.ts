import type { FastifyRequest } from 'fastify'
import { type Person, personBehind, type SignedIn } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'

/** Returns the calling user, by session or personal key. */
export function callerOf({ actor }: Pick<FastifyRequest, 'actor'>): Person {
  const person = personBehind(actor)
  if (person !== undefined) return person
  throw new AppError('user_required', 'Only a user may do this.')
}

/** Returns the user of the calling session. Routes with the access `user` ensure that there is one. */
export function personOf({ actor }: Pick<FastifyRequest, 'actor'>): SignedIn {
  if (actor.signedIn !== undefined) return actor.signedIn
  throw new AppError('user_required', 'Only a signed-in user may do this. Sign in first.')
}
