import { isIPv6 } from 'node:net'

/** Returns the host under which this machine reaches a server that listens on `host`; a wildcard becomes loopback. */
export function reachableAddress(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`
}
