/** Finds the address of the client. Headers of a proxy count only if the proxy is trusted. */
import { BlockList, isIP, isIPv4 } from 'node:net'
import type { FastifyRequest } from 'fastify'

export type Addresses = {
  /** The client's address: that of the connection, or the one seen by the trusted proxies in between. */
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
      // From the right: each trusted proxy appended the address it saw. Anyone may have written what is further left.
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

/** Returns an IPv4 address that arrived over an IPv6 socket in its own form. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}

function withoutPort(hop: string): string {
  const [, bracketed, dotted] = /^\[([^\]]+)\](?::\d+)?$|^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop) ?? []
  return bracketed ?? dotted ?? hop
}
