/**
 * Where a webhook may go. The creator of an endpoint chooses where this server sends requests (server-side request
 * forgery), so no internal address is reachable unless the configuration names it. Leaves connecting to agent.ts.
 */
import { BlockList, isIP, isIPv4 } from 'node:net'
import type { Config } from '../../core/config.ts'
import { groupsOf, networkOf } from '../../lib/address.ts'

type WebhookPolicy = Pick<Config, 'webhookAllowedNetworks' | 'webhookAllowHttp'>

type UrlFault = { code: string; detail: string }

/** Whether an address, as a connection or a resolver reports it, may be called. */
export type MayCall = (address: string) => boolean

/** IANA's special-purpose registry: addresses that are not globally reachable, or lead elsewhere than they say. */
const inwardIPv4 = networkList([
  '0.0.0.0/8', // "This host": Linux connects it to itself.
  '10.0.0.0/8',
  '100.64.0.0/10', // Carrier-grade NAT; also the metadata service of Alibaba Cloud.
  '127.0.0.0/8',
  '168.63.129.16', // A public address, but from inside Azure its platform service.
  '169.254.0.0/16', // Link-local: the metadata service of most clouds.
  '172.16.0.0/12',
  '192.0.0.0/24', // Protocol assignments; the metadata service of Oracle Cloud.
  '192.0.2.0/24',
  '192.88.99.0/24', // 6to4 relays.
  '192.168.0.0/16',
  '198.18.0.0/15', // Benchmarks.
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4', // Multicast.
  '240.0.0.0/4', // Reserved, and broadcast.
])

/** Global unicast. All other IPv6 is internal or unused: ::1, fc00::/7, fe80::/10, ff00::/8, IPv4-compatible. */
const globalIPv6 = networkList(['2000::/3'])
const inwardIPv6 = networkList([
  '2001::/23', // Protocol assignments; Teredo, which carries an IPv4 address.
  '2001:db8::/32',
  '2002::/16', // 6to4 carries an IPv4 address; RFC 7526 deprecated it.
  '3fff::/20',
])

/** @param allowed internal networks that may be called */
export function callGuard(allowed: readonly string[] = []): MayCall {
  const exceptions = {
    ipv4: networkList(allowed.filter(isIPv4Network)),
    ipv6: networkList(allowed.filter(isIPv6Network)),
  }
  return (address) => {
    // An IPv4 address inside an IPv6 one (mapped, NAT64) is judged as IPv4.
    const inner = networkOf(address)
    if (isIPv4(inner)) return exceptions.ipv4.check(inner, 'ipv4') || !inwardIPv4.check(inner, 'ipv4')
    const [plain = ''] = address.split('%', 1)
    if (isIP(plain) !== 6) return false
    if (exceptions.ipv6.check(plain, 'ipv6')) return true
    return globalIPv6.check(plain, 'ipv6') && !inwardIPv6.check(plain, 'ipv6') && !isIsatap(plain)
  }
}

/** RFC 5214 §6.1: an ISATAP address leads to the IPv4 address at its end. */
function isIsatap(address: string): boolean {
  const [universal = 0, marker] = groupsOf(address)?.slice(4, 6) ?? []
  return (universal & 0xfdff) === 0 && marker === 0x5efe
}

const httpsOnly = 'The URL must use https. For a receiver in your own network, ROLLBOOK_WEBHOOK_ALLOW_HTTP allows http.'
const privateAddress =
  'This address is not public. For a receiver in your own network, add the address to ROLLBOOK_WEBHOOK_ALLOWED_NETWORKS.'

/** Returns what is wrong with a URL, as far as that is known without resolving its name. */
export function refuseUrl(
  text: string,
  { webhookAllowedNetworks, webhookAllowHttp }: WebhookPolicy,
): UrlFault | undefined {
  if (!URL.canParse(text)) return { code: 'url_malformed', detail: 'This is not a URL. It must begin with https://.' }
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(webhookAllowHttp && url.protocol === 'http:')) {
    return { code: 'url_scheme', detail: webhookAllowHttp ? 'The URL must use https or http.' : httpsOnly }
  }
  if (url.username !== '' || url.password !== '') {
    return {
      code: 'url_credentials',
      detail: 'The URL must not contain a user or password; receivers identify Rollbook by the signature.',
    }
  }
  if (text.includes('#'))
    return { code: 'url_fragment', detail: 'The URL must not have a fragment, because it would not be sent.' }
  // Lower ports belong to other services, which may misread a request.
  if (url.port !== '' && Number(url.port) < 1024 && !['80', '443'].includes(url.port)) {
    return { code: 'url_port', detail: 'The port must be 443, 80, or 1024 or higher.' }
  }
  const host = hostOf(url)
  if (isIP(host) !== 0 && !callGuard(webhookAllowedNetworks)(host)) {
    return { code: 'url_address', detail: privateAddress }
  }
  return undefined
}

/** The URL parser has converted every number form (`0x7f.1`, `2130706433`) to the address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

const isIPv4Network = (network: string) => isIPv4(network.split('/', 1)[0] ?? '')
const isIPv6Network = (network: string) => !isIPv4Network(network)

function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const [family, widest] = isIPv4(address) ? (['ipv4', 32] as const) : (['ipv6', 128] as const)
    list.addSubnet(address, Number(bits ?? widest), family)
  }
  return list
}
