/** Shared parts of routes that clients listen to: who may listen, from where, and for how long. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import { holds } from '../../core/rules.ts'
import type { SessionCookies } from '../request/cookies.ts'
import type { LookUp } from '../request/credential.ts'
import { sentCredential } from '../request/sent-credential.ts'

/** One credential gets at most half of them, so it cannot lock out the others. */
const listenerLimit = 256

/** @throws AppError `overloaded` if there is no room for another listener, or for another one of this actor */
export function refuseCrowd(present: readonly { actorId: string }[], actorId: string, detail: string): void {
  const same = present.filter((one) => one.actorId === actorId)
  if (present.length >= listenerLimit || same.length >= listenerLimit / 2) throw new AppError('overloaded', detail)
}

/** Checked repeatedly: a credential that has ended must stop listening. The check itself does not count as use. */
export function listening(
  request: FastifyRequest,
  { cookies, lookUp }: { cookies: SessionCookies; lookUp: LookUp },
  permission: string,
): () => Promise<boolean> {
  const { text } = sentCredential(request, cookies)
  const begun = performance.now()
  return async () => {
    const found = await lookUp(text, request.now + performance.now() - begun)
    return found !== undefined && holds(found.actor.permissions, permission)
  }
}

/** Sent by a browser or similar client that reconnects: the id of the last event it received. */
export function lastEventId<T>({ headers }: FastifyRequest, read: (id: string) => T | undefined): T | undefined {
  const id = headers['last-event-id']
  if (id === undefined || id === '') return undefined
  const found = typeof id === 'string' ? read(id) : undefined
  if (found !== undefined) return found
  throw new AppError('malformed_header', 'Last-Event-ID must be the id of an event in this feed.')
}

/** The headers of a streaming response. */
export function asEventStream(reply: FastifyReply): FastifyReply {
  // nginx would buffer the response to send larger pieces.
  return reply.type('text/event-stream').header('x-accel-buffering', 'no')
}
