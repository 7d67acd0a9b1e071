import type { FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import { negotiate } from '../../lib/accept.ts'

/**
 * Returns the media type that suits the Accept header best.
 *
 * @throws AppError `not_acceptable`
 */
export function acceptedType<Type extends string>({ headers }: FastifyRequest, types: readonly Type[]): Type {
  const accepted = negotiate(headers.accept, types)
  if (accepted !== undefined) return accepted
  throw new AppError(
    'not_acceptable',
    `None of the formats in the Accept header is available. Accept one of ${types.join(', ')}.`,
  )
}
