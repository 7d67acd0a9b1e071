/** Which headers of the product's response reach the browser. */
import type { IncomingHttpHeaders } from 'node:http'
import { listed } from './request-headers.ts'

const ofThatHop = ['connection', 'keep-alive', 'proxy-authenticate', 'te', 'trailer', 'transfer-encoding', 'upgrade']

type Options = { upstream: string; cookieNames: readonly string[] }

export function headersForBrowser(
  headers: IncomingHttpHeaders,
  { upstream, cookieNames }: Options,
): IncomingHttpHeaders {
  // Our request id appears in both logs.
  const dropped = new Set([...ofThatHop, ...listed(headers.connection), 'x-request-id'])
  const passed = Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.has(name)))
  const cookies = [headers['set-cookie'] ?? []].flat().filter((cookie) => !sets(cookie, cookieNames))
  delete passed['set-cookie']
  if (cookies.length > 0) passed['set-cookie'] = cookies
  // An absolute link to an address that only we can reach.
  const { location } = headers
  if (location?.startsWith(`${upstream}/`)) passed.location = location.slice(upstream.length)
  else if (location === upstream) passed.location = '/'
  return passed
}

/**
 * Whether this would set a cookie with one of the names: a product, or an attacker in it, must not sign users in under
 * another name. Browsers send a cookie without a name, `=rollbook=…`, as `rollbook=…`.
 */
function sets(cookie: string, names: readonly string[]): boolean {
  const [pair = ''] = cookie.replace(/^[\s=]+/, '').split(';')
  const name = (pair.split('=', 1)[0] as string).trim().toLowerCase()
  return names.some((one) => one.toLowerCase() === name)
}
