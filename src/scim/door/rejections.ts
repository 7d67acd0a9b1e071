/** Records the rejected requests of identity providers for the console, without delaying the responses. */
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { system } from '../../core/actor.ts'
import type { Rejection } from '../../directory/provisioning/service.ts'
import { timestamp } from '../../lib/instant.ts'
import type { Storage } from '../../store/storage/storage.ts'
import type { Json } from '../protocol/json.ts'
import type { Note } from './errors.ts'
import { pathWithoutSecrets, withoutSecrets } from './without-secrets.ts'

/** Rejections are stored in batches, so a misconfigured client causes at most one small change per interval. */
const gatherMs = 500
/** Further rejections in the same interval are dropped: they rarely differ. */
const most = 100
const longestBody = 8192
const longestPath = 2048

export function rejectionNotes(
  storage: Storage,
  clock: () => number,
  log: Logger,
): { note: Note; close(): Promise<void> } {
  let waiting: Rejection[] = []
  let timer: NodeJS.Timeout | undefined

  async function store(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const some = waiting
    waiting = []
    if (some.length === 0) return
    try {
      const request = { actor: system, now: clock(), requestId: 'rejections' }
      await storage.change('provisioning.record_rejections', some, request)
    } catch (error) {
      // Only log the error: the client already has its response, and the log has the request.
      log.warn({ error, count: some.length }, 'Rejected SCIM requests could not be stored')
    }
  }

  return {
    note(request, { status, scimType, message }, path) {
      const { actor, now, id: request_id, method } = request
      const connection_id = actor?.connection?.id
      if (connection_id === undefined || waiting.length >= most || !isTelling(method, status)) return
      waiting.push({
        connection_id,
        rejected_at: timestamp(now),
        request_id,
        method,
        path: pathWithoutSecrets(path).slice(0, longestPath),
        body: bodyOf(request),
        status,
        scim_type: scimType ?? null,
        detail: message,
      })
      timer ??= setTimeout(store, gatherMs).unref()
    },
    close: store,
  }
}

/** Excludes our own errors, which are logged, rate limits, and reads with 404: clients look up what may not exist. */
function isTelling(method: string, status: number): boolean {
  return status >= 400 && status < 500 && status !== 429 && !(status === 404 && (method === 'GET' || method === 'HEAD'))
}

function bodyOf({ body }: FastifyRequest): string | null {
  if (body === undefined || body === null) return null
  return JSON.stringify(withoutSecrets(body as Json)).slice(0, longestBody)
}
