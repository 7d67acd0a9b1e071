/** Checks whether the service sees a request as the browser sent it, through all proxies. */
import type { Deployment } from 'rollbook/client'

export type Advice = 'trust_proxy' | 'send_proto' | 'pass_host' | 'set_public_url' | 'use_https'
export type Check = {
  name: 'scheme' | 'host' | 'prefix' | 'address' | 'links' | 'cookie'
  /** The value in the browser; undefined if it cannot know. */
  here: string | undefined
  seen: string
  /** The remedy. Undefined if the check passed. */
  advice: Advice | undefined
  /** The setting that corrects it. */
  setting?: string
}

type Known = Pick<Deployment, 'request' | 'public_url' | 'base_path' | 'session_cookie'>

/** @param url the URL of the API in the browser: `https://orchard.example.com/auth` */
export function checksOf({ request, public_url, base_path, session_cookie }: Known, url: string): Check[] {
  const here = new URL(url)
  const prefix = here.pathname.replace(/\/$/, '')
  const trust = `ROLLBOOK_TRUSTED_PROXIES=${request.peer_address}`
  const publicUrl = `ROLLBOOK_PUBLIC_URL=${here.origin}${prefix}`
  const checks: Check[] = []

  const scheme = here.protocol.slice(0, -1)
  const isSchemeSeen = request.scheme === scheme
  const isProtoUnheard = !request.from_trusted_proxy && request.forwarded_proto !== null
  checks.push({
    name: 'scheme',
    here: scheme,
    seen: request.scheme,
    advice: isSchemeSeen ? undefined : isProtoUnheard ? 'trust_proxy' : 'send_proto',
    ...(!isSchemeSeen && isProtoUnheard && { setting: trust }),
  })

  const host = (request.from_trusted_proxy ? request.forwarded_host : null) ?? request.host ?? ''
  const publicHost = public_url === null ? undefined : new URL(public_url).host
  // Links are built from the public URL, so the host name need not arrive.
  const isHostKnown = sameText(host, here.host) || publicHost === here.host
  checks.push({
    name: 'host',
    here: here.host,
    seen: host,
    advice: isHostKnown ? undefined : 'pass_host',
    ...(!isHostKnown && { setting: publicUrl }),
  })

  // Without a public URL, links start with the base path.
  const linked = public_url === null ? base_path : new URL(public_url).pathname.replace(/\/$/, '')
  checks.push({
    name: 'prefix',
    here: prefix === '' ? '/' : prefix,
    seen: request.path.replace(/\/deployment(\?.*)?$/, '') || '/',
    // The service accepts a prefix that is kept or stripped; the links show the effect.
    advice: undefined,
  })

  const isForwarderUnheard = !request.from_trusted_proxy && request.forwarded_for !== null
  checks.push({
    name: 'address',
    here: undefined,
    seen: request.client_address,
    advice: isForwarderUnheard ? 'trust_proxy' : undefined,
    ...(isForwarderUnheard && { setting: trust }),
  })

  const isLinked =
    public_url === null ? linked === prefix : sameText(public_url.replace(/\/$/, ''), here.origin + prefix)
  checks.push({
    name: 'links',
    here: here.origin + prefix,
    seen: public_url ?? base_path,
    advice: isLinked ? undefined : 'set_public_url',
    ...(!isLinked && { setting: publicUrl }),
  })

  const isSecure = session_cookie.startsWith('__Host-')
  const cookieAdvice =
    scheme === 'https' ? (isSecure ? undefined : 'set_public_url') : isLoopback(here) ? undefined : 'use_https'
  checks.push({
    name: 'cookie',
    here: scheme,
    seen: session_cookie,
    advice: cookieAdvice,
    ...(cookieAdvice === 'set_public_url' && { setting: publicUrl }),
  })
  return checks.map(({ setting, ...check }, i) =>
    setting === undefined || checks.findIndex((one) => one.setting === setting) < i ? check : { ...check, setting },
  )
}

function sameText(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** Formats a size: `432.6 kB`. */
export function formatBytes(bytes: number, locale: string): string {
  const step = Math.min(units.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3))
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: units[step] ?? 'byte',
    maximumSignificantDigits: 3,
  }).format(bytes / 1000 ** step)
}

/** Formats days, hours and minutes: the two largest. */
export function formatUptime(seconds: number, locale: string): string {
  const parts = [
    ['day', Math.floor(seconds / 86_400)],
    ['hour', Math.floor(seconds / 3600) % 24],
    ['minute', Math.floor(seconds / 60) % 60],
    ['second', Math.floor(seconds) % 60],
  ] as const
  const first = parts.findIndex(([, count]) => count > 0)
  const visible = first < 0 ? parts.slice(-1) : parts.slice(first, first + 2).filter(([, count]) => count > 0)
  return visible
    .map(([unit, count]) => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count))
    .join(' ')
}
