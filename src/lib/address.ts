/** Groups addresses into networks, for limits that count by origin. */
import { isIPv4, isIPv6 } from 'node:net'

/** Texts that are no address share one bucket, so that inventing them does not evade a limit. */
export const nowhere = 'nowhere'

/**
 * Returns the smallest network of one customer: an IPv4 address, or the /64 of an IPv6 address, in which a machine can
 * change its address at will (RFC 7707 §4.1, RFC 8981).
 */
export function networkOf(address: string): string {
  return networksOf(address).network
}

/** Returns that network and, for IPv6, the /48 around it: the most a provider gives to one customer (RFC 6177 §2). */
export function networksOf(address: string): { network: string; site?: string } {
  if (isIPv4(address)) return { network: address }
  const groups = groupsOf(address)
  if (groups === undefined) return { network: nowhere }
  const inner = embeddedIPv4(groups)
  if (inner !== undefined) return { network: inner }
  const prefix = (length: number) => groups.slice(0, length).map((group) => group.toString(16))
  return { network: `${prefix(4).join(':')}::/64`, site: `${prefix(3).join(':')}::/48` }
}

/** The eight groups of an IPv6 address, without its zone (RFC 4007 §11). */
export function groupsOf(address: string): number[] | undefined {
  const [text = ''] = address.split('%', 1)
  if (!isIPv6(text)) return undefined
  const hex = text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number)
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
  const [before = [], after] = hex.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const zeros = after === undefined ? [] : Array<string>(8 - before.length - after.length).fill('0')
  return [...before, ...zeros, ...(after ?? [])].map((group) => Number.parseInt(group, 16))
}

/** Returns the IPv4 address inside ::ffff:0:0/96 (RFC 4291 §2.5.5.2) or 64:ff9b::/96 (RFC 6052 §2.1). As IPv6, all of IPv4 would be one /64. */
function embeddedIPv4(groups: readonly number[]): string | undefined {
  const prefix = groups.slice(0, 6).join(':')
  if (prefix !== '0:0:0:0:0:65535' && prefix !== '100:65435:0:0:0:0') return undefined
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.')
}
