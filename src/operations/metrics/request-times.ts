/** Request durations, counted in plain numbers, because every request pays for it. */
import type { FastifyInstance, FastifyReply, RouteOptions } from 'fastify'

/** Bounds in milliseconds, as Fastify measures: from reading one record to streaming a list for a while. */
export const boundsMs = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000] as const
/** The name of requests for unknown paths. */
const unknown = 'unknown'

export class Durations {
  /** How many requests took up to each bound and longer than the previous one; the last entry is beyond all bounds. */
  readonly counts = new Float64Array(boundsMs.length + 1)
  sumMs = 0

  add(ms: number): void {
    let place = 0
    while (place < boundsMs.length && ms > (boundsMs[place] as number)) place++
    this.counts[place] = (this.counts[place] as number) + 1
    this.sumMs += ms
  }

  addAll({ counts, sumMs }: Durations): void {
    for (const [place, count] of counts.entries()) this.counts[place] = (this.counts[place] as number) + count
    this.sumMs += sumMs
  }
}

/** By status class. */
type OfOperation = Map<number, Durations>

export type RequestTimes = {
  /** By operation: one entry per route. */
  readonly all: ReadonlyMap<string, OfOperation>
  /** Called before routes are registered: measures their responses. */
  watch(app: FastifyInstance, basePath: string): void
  /** Measures a response outside any route. */
  watchUnknown(reply: FastifyReply): void
}

export function requestTimes(): RequestTimes {
  const all = new Map<string, OfOperation>()

  function of(operation: string): OfOperation {
    const known = all.get(operation)
    if (known) return known
    // Prometheus sees increases only in known series: without this, it would miss the first fault.
    const created: OfOperation = new Map([[500, new Durations()]])
    all.set(operation, created)
    return created
  }

  function note(durations: OfOperation, { statusCode, elapsedTime }: FastifyReply): void {
    let found = durations.get(statusCode)
    if (found === undefined) {
      found = new Durations()
      durations.set(statusCode, found)
    }
    found.add(elapsedTime)
  }

  return {
    all,
    watch(app, basePath) {
      app.addHook('onRoute', (route) => {
        const durations = of(operationOf(route, basePath))
        // A hook per route, where the operation is known without a lookup.
        route.onResponse = (_request, reply, done) => {
          note(durations, reply)
          done()
        }
      })
    },
    watchUnknown(reply) {
      reply.raw.once('close', () => note(of(unknown), reply))
    },
  }
}

/** Returns the operationId, or for an undocumented route its pattern below our prefix: never the requested path. */
function operationOf({ config, url }: RouteOptions, basePath: string): string {
  return config?.docs?.operationId ?? ((url.startsWith(`${basePath}/`) ? url.slice(basePath.length) : url) || '/')
}
