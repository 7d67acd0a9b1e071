/** Notes the rejected requests of identity providers for the page that shows them, without making these wait. */
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Rejection } from '../../directory/connections/rejected.ts'
import { timestamp } from '../../lib/instant.ts'
import { system } from '../../store/context.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { isArray, isObject, type Json } from '../protocol/json.ts'
import type { Note } from './errors.ts'

/** Stored together, so that a client that does everything wrong costs one small change in this time. */
const gatherMs = 500
/** What comes beyond it in this time is as the others are. */
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
      // The client has its answer, and the log has the request.
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
        path: path.slice(0, longestPath),
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

/** Faults of ours are in the log, and asking for what is not there is how clients look things up. */
function isTelling(method: string, status: number): boolean {
  return status >= 400 && status < 500 && status !== 429 && !(status === 404 && (method === 'GET' || method === 'HEAD'))
}

function bodyOf({ body }: FastifyRequest): string | null {
  if (body === undefined || body === null) return null
  return JSON.stringify(withoutPasswords(body as Json)).slice(0, longestBody)
}

/** Also where a path names the password and the value stands beside it. */
function withoutPasswords(value: Json): Json {
  if (isArray(value)) return value.map(withoutPasswords)
  if (!isObject(value)) return value
  const isPasswordSet = typeof value.path === 'string' && /password/i.test(value.path)
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      const isSecret = /password/i.test(name) || (isPasswordSet && name.toLowerCase() === 'value')
      return [name, isSecret ? '[removed]' : withoutPasswords(one as Json)]
    }),
  )
}
