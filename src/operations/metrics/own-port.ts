/** Serves `/metrics` on a separate port, for networks in which Prometheus needs no key. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { listenFailure } from '../../http/server/listen-failure.ts'
import { reachableAddress } from '../../http/server/own-address.ts'
import { createServer } from '../../lib/node-http.ts'
import { answerScrape } from './answer.ts'
import type { Metrics } from './metrics.ts'

type OwnPort = { readonly url: string; close(): Promise<void> }

const path = '/metrics'
/** Only Prometheus connects here, with small requests. */
const limits = { headersTimeout: 5000, requestTimeout: 5000, keepAliveTimeout: 75_000, maxHeaderSize: 8192 }
const maxConnections = 64

export async function openOwnPort(
  metrics: Metrics,
  place: { host: string; port: number },
  log: Logger,
): Promise<OwnPort> {
  const server = createServer(limits, (request, response) => {
    respond(metrics, request, response).catch((err: unknown) => {
      log.error({ err }, 'could not report the metrics')
      if (response.headersSent) response.destroy()
      else end(response, 500, 'The cause was logged.')
    })
  })
  server.maxConnections = maxConnections
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenFailure(error, 'ROLLBOOK_METRICS_HOST', 'ROLLBOOK_METRICS_PORT')))
    server.listen(place.port, place.host, resolve)
  })
  return {
    url: `${reachableAddress(place.host, (server.address() as AddressInfo).port)}${path}`,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()))
        server.closeAllConnections()
      }),
  }
}

async function respond(metrics: Metrics, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url?.split('?', 1)[0] !== path)
    return end(response, 404, `There is nothing at this path. The metrics are at ${path}.`)
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD')
    return end(response, 405, 'This path does not support the method. Use GET.')
  }
  const { headers, body } = await answerScrape(metrics, String(request.headers['accept-encoding'] ?? ''))
  response.writeHead(200, { ...headers, 'content-length': body.byteLength, 'cache-control': 'no-store' })
  response.end(request.method === 'HEAD' ? undefined : body)
}

function end(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`)
}
