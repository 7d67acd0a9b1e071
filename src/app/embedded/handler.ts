/** Serves the requests of a server that is not ours: of `node:http`, Express or Fastify. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Config } from '../../core/config.ts'
import { AppError } from '../../core/errors.ts'
import { commonHeaders, problemContentType, toProblem } from '../../http/response/problem.ts'
import type { App } from '../app.ts'
import type { Connections } from '../service.ts'
import type { Rollbook } from './types.ts'

export type Serve = (request: IncomingMessage, response: ServerResponse) => void

type Parts = {
  handler: Rollbook['handler']
  /** Serves a request whose URL is complete. */
  serve: Serve
  /** The requests that are being served. */
  requests: Connections
}

export function handlerOf({ fastify }: Pick<App, 'fastify'>, { basePath, publicUrl = '' }: Config): Parts {
  const running = new Set<ServerResponse>()
  const track: Serve = (_request, response) => {
    running.add(response)
    response.once('close', () => running.delete(response))
  }
  // Those of fetch.ts.
  fastify.server.prependListener('request', track)

  const serve: Serve = (request, response) => {
    track(request, response)
    if (wasRead(request)) refuseRead(request, response, publicUrl)
    else fastify.routing(request, response)
  }

  function isOurs(path: string): boolean {
    if (path.startsWith(basePath) && ['', '/'].includes(path.charAt(basePath.length))) return true
    return path.startsWith('/.well-known/') && fastify.hasRoute({ method: 'GET', url: path })
  }

  return {
    serve,
    handler(request, response, next) {
      // Express removes the path at which the handler is mounted from `url`.
      const { originalUrl: url = request.url ?? '/' } = request as { originalUrl?: string }
      if (next !== undefined && !isOurs(url.split('?', 1)[0] as string)) return next()
      request.url = url
      serve(request, response)
    },
    requests: {
      count: () => running.size,
      closeAll() {
        for (const response of running) response.destroy()
      },
    },
  }
}

/** Whether something has taken the body, for example `express.json()`. Waiting for it would take forever. */
function wasRead({ headers, readableDidRead }: IncomingMessage): boolean {
  return readableDidRead && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)
}

function refuseRead(_request: IncomingMessage, response: ServerResponse, publicUrl: string): void {
  const detail =
    'The body was read before Rollbook saw the request. Mount Rollbook before body parsers such as express.json().'
  const problem = toProblem(new AppError('internal_error', detail), randomUUID(), publicUrl)
  response.writeHead(problem.status, { ...commonHeaders, 'content-type': problemContentType })
  response.end(JSON.stringify(problem))
}
