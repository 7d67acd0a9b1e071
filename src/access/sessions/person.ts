import type { FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import type { SignedIn } from '../../store/context.ts'

/** Returns the calling user. Routes with the access `user` ensure that there is one. */
export function personOf({ actor }: Pick<FastifyRequest, 'actor'>): SignedIn {
  if (actor.signedIn !== undefined) return actor.signedIn
  throw new AppError('user_required', 'Only a signed-in user may do this. Sign in first.')
}
