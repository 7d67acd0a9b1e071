/** Which responses are recorded as refused authorizations, and with what content: never what was sent. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { networkOf } from '../../lib/address.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import { recordedActor } from '../journal/service.ts'
import { anonymous, type Recorder, type Witnessed } from './recorder.ts'

export type RecordRefusal = (error: unknown, request: FastifyRequest) => Promise<void> | undefined
type AnswerError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void

type Parts = Pick<HttpLayer, 'originOf'> & { recorder: Recorder; perMinute: number }

/** Records a refusal. Undefined if this kind of error is not recorded. */
export function refusalRecorder({ recorder, originOf, perMinute }: Parts): RecordRefusal {
  const isWithin = countByNetwork(perMinute)
  return (error, request) => {
    if (!isRefusal(error)) return undefined
    const origin = originOf(request)
    if (request.routeOptions.config?.isAboutOthers) {
      // A caller without any credential is a browser that is about to be sent to the sign-in page, once for each file of each page.
      if (error.code === 'credential_missing') return undefined
      // No rate limit protects these routes: a stranger with an invented cookie could fill the disk with records.
      if (!isWithin(networkOf(origin.address), request.now)) return undefined
    }
    const { now, id: requestId } = request
    return recorder.record(error, { entry: entryOf(error, request), ...targetOf(request), origin, now, requestId })
  }
}

/** Responds to errors like `answerError`, but to a refusal only after it is recorded. If that fails, the response is 503. */
export function answerRecorded(recordRefusal: RecordRefusal, answerError: AnswerError) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | undefined => {
    const recorded = recordRefusal(error, request)
    if (recorded === undefined) {
      answerError(error, request, reply)
      return undefined
    }
    const respond = (refusal: unknown) => {
      answerError(refusal, request, reply)
      return reply
    }
    return recorded.then(() => respond(error), respond)
  }
}

/** Too many wrong current passwords count too; at sign-in, sign-in.ts has recorded them already. */
function isRefusal(error: unknown): error is AppError {
  if (!(error instanceof AppError)) return false
  return error.status === 401 || error.status === 403 || error.code === 'too_many_attempts'
}

/** A path may contain anything, even a key; only values in the form of an id are no secret. */
function targetOf({ actor, params }: FastifyRequest): Pick<Witnessed, 'userId'> {
  const actsAs = actor.signedIn?.impersonation && actor.signedIn.user_id
  const userId = (params as { user_id?: string } | null)?.user_id?.toLowerCase() ?? actsAs
  return userId !== undefined && isUuid(userId) ? { userId } : {}
}

function entryOf({ code }: AppError, { actor, method, routeOptions }: FastifyRequest): Witnessed['entry'] {
  const { access, docs } = routeOptions.config ?? {}
  return {
    action: 'authorization.refused',
    outcome: 'denied',
    code,
    actor: actor.id === '' ? anonymous : recordedActor(actor),
    details: {
      operation: docs?.operationId ?? routeOptions.url,
      method,
      ...(code === 'permission_denied' && access?.includes(':') && { needs: access }),
    },
  }
}

/** Returns whether a network is still under its limit per minute; 0 means no limit. */
function countByNetwork(perMinute: number): (network: string, now: number) => boolean {
  let minute = 0
  let counts = new Map<string, number>()
  return (network, now) => {
    if (perMinute === 0) return true
    const current = Math.floor(now / 60_000)
    // Invented networks must not fill the memory either.
    if (current !== minute || counts.size >= 50_000) counts = new Map()
    minute = current
    const count = (counts.get(network) ?? 0) + 1
    counts.set(network, count)
    return count <= perMinute
  }
}
