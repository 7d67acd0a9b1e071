import type { IncomingHttpHeaders } from 'node:http'

/**
 * Whether a browser asks the product before it sends a request of a page of another origin (Fetch standard, "CORS-preflight request").
 * Such a request never has a credential; one that has is judged like any other.
 */
export function isPreflight(method: string, headers: IncomingHttpHeaders): boolean {
  const { origin, cookie, authorization, upgrade } = headers
  const asks = method === 'OPTIONS' && origin !== undefined && headers['access-control-request-method'] !== undefined
  return asks && [cookie, authorization, upgrade, headers['x-api-key']].every((value) => value === undefined)
}
