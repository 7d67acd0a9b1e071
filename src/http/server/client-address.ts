/** Where a request comes from. What a proxy says counts only when the proxy is one of ours. */
import { BlockList, isIP, isIPv4 } from 'node:net'
import type { FastifyRequest } from 'fastify'

export type Addresses = {
  /** The client's address: of the connection, or as the trusted proxies in between saw it. */
  of(request: FastifyRequest): string
  isFromTrustedProxy(request: FastifyRequest): boolean
}

/** @param trusted networks such as `10.0.0.0/8`, or single addresses */
export function clientAddresses(trusted: readonly string[]): Addresses {
  const list = new BlockList()
  for (const network of trusted) {
    const [address = '', bits] = network.split('/')
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    list.addSubnet(address, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family)
  }
  const isTrusted = (address: string) => isIP(address) !== 0 && list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
  const peerOf = ({ raw }: FastifyRequest) => plainAddress(raw.socket.remoteAddress ?? '')

  return {
    isFromTrustedProxy: (request) => isTrusted(peerOf(request)),
    of(request) {
      const peer = peerOf(request)
      const header = request.headers['x-forwarded-for']
      if (header === undefined || !isTrusted(peer)) return peer
      // From the right: each of our proxies appended whom it saw. What stands further left, anybody may have written.
      let client = peer
      for (const hop of String(header).split(',').reverse()) {
        const address = plainAddress(withoutPort(hop.trim()))
        if (isIP(address) === 0) break
        client = address
        if (!isTrusted(address)) break
      }
      return client
    },
  }
}

/** An IPv4 address that came over an IPv6 socket, as what it is. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}

function withoutPort(hop: string): string {
  const [, bracketed, dotted] = /^\[([^\]]+)\](?::\d+)?$|^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop) ?? []
  return bracketed ?? dotted ?? hop
}
