// Returns the 503 problem of a Rollbook that is down to every request, for proxies that can ask a second server but cannot
// write a response themselves. Listens on 8080, as Rollbook does in its image.
import { createServer } from 'node:http'

const {
  ROLLBOOK_PORT: port = 8080,
  ROLLBOOK_HOST: host = '0.0.0.0',
  ROLLBOOK_BASE_PATH: prefix = '/auth',
} = process.env
const problem = {
  type: `${prefix.replace(/\/+$/, '')}/docs/problems#rollbook_unavailable`,
  title: 'Rollbook does not respond',
  status: 503,
  detail: 'Repeat the request after the seconds in Retry-After.',
  code: 'rollbook_unavailable',
}
const headers = { 'content-type': 'application/problem+json', 'retry-after': '5', 'cache-control': 'no-store' }

const server = createServer((request, response) => {
  // Read the rest of a body, or the client would see a reset instead of the response.
  request.resume()
  response.writeHead(503, headers).end(JSON.stringify(problem))
})
server.listen(Number(port), host)
// The first process of a container has no default handler for this signal.
process.once('SIGTERM', () => server.close())
