/**
 * A POST with an Idempotency-Key. Each change that it makes keeps a first answer of its own, so that a bulk request that
 * broke off halfway continues where it was.
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
  /** Makes a change, or returns what it led to before. */
  change<Result>(
    request: FastifyRequest,
    make: (keep: ChangeRequest['keep']) => Promise<Outcome<Result>>,
  ): Promise<Result>
  /** Whether the first answer to this request is kept. */
  isKept(request: FastifyRequest): boolean
}

export function repeatsOf({ storage, idempotency }: Needs): Repeats {
  const runs = new WeakMap<FastifyRequest, Run>()

  return {
    async handle(request, reply, send) {
      const key = idempotency.read(request)
      if (key === undefined) return send()
      const release = idempotency.hold(key)
      runs.set(request, { reply, steps: 0, replayed: 0 })
      try {
        return await send()
      } finally {
        release()
      }
    },

    async change<Result>(request: FastifyRequest, make: (keep: ChangeRequest['keep']) => Promise<Outcome<Result>>) {
      const run = runs.get(request)
      if (run === undefined) return (await make(undefined)).result
      const keep = idempotency.read(request, run.steps++)
      const kept = keep && (await storage.keptAnswer(keep))
      if (kept) noteReplay(run, true)
      if (kept && 'refusal' in kept) throw fromRefusal(kept.refusal)
      if (kept) return kept.result as Result
      noteReplay(run, false)
      const { result, replayed = false } = await make(keep)
      if (replayed) noteReplay(run, true)
      return result
    },

    isKept: (request) => runs.has(request),
  }
}

/** The response is a replay if nothing in it is new. */
function noteReplay(run: Run, isReplay: boolean): void {
  if (isReplay) run.replayed++
  if (run.replayed === run.steps) run.reply.header('idempotency-replayed', 'true')
  else run.reply.removeHeader('idempotency-replayed')
}

/** Whether a refusal is about the Idempotency-Key, and so about the request as a whole. */
export function isAboutKey(error: unknown): boolean {
  return error instanceof AppError && ['idempotency_mismatch', 'idempotency_in_progress'].includes(error.code)
}
