import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { AppError, validationFailed } from '../../core/errors.ts'
import { isUuid } from '../../lib/uuidv7.ts'

/**
 * Finds the import of a request: the one it names, the one of its Idempotency-Key, or a new one. An import can be continued
 * by its id, so a key that always maps to the same id has one effect, whatever was interrupted.
 */
export function jobIdOf(
  { headers, actor }: FastifyRequest,
  input: string | undefined,
  newId: (now: number) => string,
): { jobId: string; isByKey: boolean } {
  if (input !== undefined) {
    if (!isUuid(input.toLowerCase())) {
      throw validationFailed([{ pointer: '?job_id', code: 'wrong_format', detail: 'It must be a UUID.' }])
    }
    return { jobId: input.toLowerCase(), isByKey: false }
  }
  const key = headers['idempotency-key']
  if (key === undefined) return { jobId: newId(Date.now()), isByKey: false }
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new AppError(
      'malformed_header',
      'Idempotency-Key must have 1 to 255 visible ASCII characters without spaces.',
    )
  }
  // Specific to this caller; RFC 9562 §5.8 leaves the other bits of version 8 to us.
  const hex = createHash('sha256')
    .update(JSON.stringify([actor.kind, actor.id, key]))
    .digest('hex')
  const jobId = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  return { jobId, isByKey: true }
}
