/**
 * Handles a POST with an Idempotency-Key. The outcome of each change is stored, so a bulk request that was interrupted
 * halfway continues where it stopped.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError, fromRefusal } from '../../core/errors.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import type { ChangeRequest } from '../../store/storage/storage.ts'

type Needs = Pick<HttpLayer, 'storage' | 'idempotency'>
type Run = { readonly reply: FastifyReply; steps: number; replayed: number }
type Outcome<Result> = { result: Result; replayed?: boolean }

export type Repeats = {
  /** Handles a POST. Its changes can be repeated if it has a key. */
  handle(request: FastifyRequest, reply: FastifyReply, send: () => Promise<FastifyReply>): Promise<FastifyReply>
  /** Makes a change, or returns its stored outcome. */
  change<Result>(
    request: FastifyRequest,
    make: (responseKey: ChangeRequest['responseKey']) => Promise<Outcome<Result>>,
  ): Promise<Result>
  /** Whether the outcome of this request is stored. */
  isKept(request: FastifyRequest): boolean
}

export function repeatsOf({ storage, idempotency }: Needs): Repeats {
  const runs = new WeakMap<FastifyRequest, Run>()

  return {
    async handle(request, reply, send) {
      const key = idempotency.read(request)
      if (key === undefined) return send()
      const release = idempotency.markRunning(key)
      runs.set(request, { reply, steps: 0, replayed: 0 })
      try {
        return await send()
      } finally {
        release()
      }
    },

    async change<Result>(
      request: FastifyRequest,
      make: (responseKey: ChangeRequest['responseKey']) => Promise<Outcome<Result>>,
    ) {
      const run = runs.get(request)
      if (run === undefined) return (await make(undefined)).result
      const responseKey = idempotency.read(request, run.steps++)
      const stored = responseKey && (await storage.keptAnswer(responseKey))
      if (stored) noteReplay(run, true)
      if (stored && 'refusal' in stored) throw fromRefusal(stored.refusal)
      if (stored) return stored.result as Result
      noteReplay(run, false)
      const { result, replayed = false } = await make(responseKey)
      if (replayed) noteReplay(run, true)
      return result
    },

    isKept: (request) => runs.has(request),
  }
}

/** The response is a replay if every outcome in it was stored earlier. */
function noteReplay(run: Run, isReplay: boolean): void {
  if (isReplay) run.replayed++
  if (run.replayed === run.steps) run.reply.header('idempotency-replayed', 'true')
  else run.reply.removeHeader('idempotency-replayed')
}

/** Whether a refusal concerns the Idempotency-Key, and therefore the whole request. */
export function isAboutKey(error: unknown): boolean {
  return error instanceof AppError && ['idempotency_mismatch', 'idempotency_in_progress'].includes(error.code)
}
