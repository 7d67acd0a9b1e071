/** What all routes share that somebody listens to: whose turn it is, from where on, and for how long. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app/app.ts'
import { AppError } from '../../core/errors.ts'
import { holds } from '../../store/context.ts'
import { sentCredential } from '../request/sent-credential.ts'

/** Half of them at most for one credential, so that nobody shuts the others out. */
const listenerLimit = 256

/** @throws AppError `overloaded` when nobody else, or nothing more of this actor, can be served */
export function refuseCrowd(present: readonly { actorId: string }[], actorId: string, detail: string): void {
  const same = present.filter((one) => one.actorId === actorId)
  if (present.length >= listenerLimit || same.length >= listenerLimit / 2) throw new AppError('overloaded', detail)
}

/** Asked again and again: a credential that has ended must not go on listening. Being asked about is no use of it. */
export function listening(
  request: FastifyRequest,
  { cookies, lookUp }: App,
  permission: string,
): () => Promise<boolean> {
  const { text } = sentCredential(request, cookies)
  const begun = performance.now()
  return async () => {
    const found = await lookUp(text, request.now + performance.now() - begun)
    return found !== undefined && holds(found.actor.permissions, permission)
  }
}

/** Sent by a browser, or another client of the kind, that was cut and comes again: the id of the last event it heard. */
export function lastEventId<T>({ headers }: FastifyRequest, read: (id: string) => T | undefined): T | undefined {
  const id = headers['last-event-id']
  if (id === undefined || id === '') return undefined
  const found = typeof id === 'string' ? read(id) : undefined
  if (found !== undefined) return found
  throw new AppError('malformed_header', 'Last-Event-ID must be the id of an event in this feed.')
}

/** The headers of an answer that goes on. */
export function asEventStream(reply: FastifyReply): FastifyReply {
  // nginx holds answers back to send them in larger pieces.
  return reply.type('text/event-stream').header('x-accel-buffering', 'no')
}
