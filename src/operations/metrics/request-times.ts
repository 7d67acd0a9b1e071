/** How long requests took: counted in plain numbers, because every request pays for it. */
import type { FastifyInstance, FastifyReply, RouteOptions } from 'fastify'

/** From a read by its id to a list that is streamed for a while. In milliseconds, as Fastify has it. */
export const boundsMs = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000] as const
/** What is asked for where there is nothing. */
const unknown = 'unknown'

export class Durations {
  /** How many took up to each bound, and more than the one before; the last took longer than all bounds. */
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

/** By the status of the answer. */
type OfOperation = Map<number, Durations>

export type RequestTimes = {
  /** By operation: as many as there are routes. */
  readonly all: ReadonlyMap<string, OfOperation>
  /** Before the routes are registered: times what each of them answers. */
  watch(app: FastifyInstance, basePath: string): void
  /** Times an answer that no route gives. */
  watchUnknown(reply: FastifyReply): void
}

export function requestTimes(): RequestTimes {
  const all = new Map<string, OfOperation>()

  function of(operation: string): OfOperation {
    const known = all.get(operation)
    if (known) return known
    // Prometheus sees an increase only in what it has seen before: without this, the first fault would be none.
    const made: OfOperation = new Map([[500, new Durations()]])
    all.set(operation, made)
    return made
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
        // On each route, where it is known without looking up what was asked.
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

/** Its operationId. What is in no document has its pattern, below our path: never the path that was asked for. */
function operationOf({ config, url }: RouteOptions, basePath: string): string {
  return config?.docs?.operationId ?? ((url.startsWith(`${basePath}/`) ? url.slice(basePath.length) : url) || '/')
}
