import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'

/** The address below which a connection has its pages. */
export function addressOf(links: Pick<HttpLayer['links'], 'issuer'>, connectionId: string): string {
  return `${links.issuer()}/connections/${connectionId}`
}
