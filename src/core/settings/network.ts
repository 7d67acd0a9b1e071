import { host, integer, kind, nameServers, networks, origin, origins, type Settings, switchedOn } from './kinds.ts'

const basePath = kind('a path such as /auth, of letters, digits and . _ ~ - (or / alone)', (text) => {
  const segments = text.replace(/\/$/, '').split('/').slice(1)
  const fits = segments.every((segment) => /^[A-Za-z0-9._~-]+$/.test(segment) && segment !== '.' && segment !== '..')
  return text.startsWith('/') && fits ? segments.map((segment) => `/${segment}`).join('') : undefined
})

const publicUrl = kind('an http:// or https:// URL without user, query or fragment', (text) => {
  // The URL parser forgives backslashes, missing slashes and line breaks, which are mistakes here.
  const fits = /^https?:\/\/[^\s\\/?#@]+(\/[^\s\\?#]*)?$/i.test(text)
  return fits && URL.canParse(text) ? new URL(text).href.replace(/\/+$/, '') : undefined
})

const upstreamUrl = kind('an http:// or https:// URL without user, path, query or fragment', origin)

export const network = {
  host: {
    name: 'ROLLBOOK_HOST',
    kind: host,
    default: '127.0.0.1',
    why:
      'Set it to make Rollbook reachable from other machines: `0.0.0.0` or `::` in a container, or one address behind a ' +
      'proxy.',
  },
  port: {
    name: 'ROLLBOOK_PORT',
    kind: integer(0, 65535),
    default: '8080',
    why:
      'Change it if the port is taken, or if several instances share a machine. With `0` the system chooses a free ' +
      'port.',
  },
  basePath: {
    name: 'ROLLBOOK_BASE_PATH',
    kind: basePath,
    default: '/auth',
    why: 'Change it if your product serves this API under another prefix. `/` serves it at the root.',
  },
  publicUrl: {
    name: 'ROLLBOOK_PUBLIC_URL',
    kind: publicUrl,
    default: undefined,
    why:
      'Set it if a proxy is in front: the address that clients use, including the public prefix. Links are built from ' +
      'it, never from the Host header. Not set: links begin with the base path.',
  },
  trustedProxies: {
    name: 'ROLLBOOK_TRUSTED_PROXIES',
    kind: networks,
    default: undefined,
    why:
      'Set it if a proxy is in front: the address or network of the proxy. `X-Forwarded-For` and similar headers are ' +
      'used only from there. Not set: they are never used, and all clients seem to come from the proxy.',
  },
  upstream: {
    name: 'ROLLBOOK_UPSTREAM',
    kind: upstreamUrl,
    default: undefined,
    why:
      'Set it if there is no proxy: Rollbook itself then serves the product, which listens at this address, under `/` ' +
      'to signed-in users.',
  },
  upstreamTimeoutSeconds: {
    name: 'ROLLBOOK_UPSTREAM_TIMEOUT_SECONDS',
    kind: integer(1, 3600),
    default: '60',
    why: "Raise it if your product's slowest response takes longer to begin. After this time the response is 504.",
  },
  passPreflights: {
    name: 'ROLLBOOK_PASS_PREFLIGHTS',
    kind: switchedOn,
    default: 'false',
    why:
      'Set it to `true` if pages of other origins call your product behind Rollbook: their preflights (`OPTIONS`), which have no ' +
      'credential, then reach it without an identity (docs/in-front-of-your-product.md).',
  },
  corsOrigins: {
    name: 'ROLLBOOK_CORS_ORIGINS',
    kind: origins,
    default: undefined,
    why:
      'Set it if pages of other origins call this API with a key or access token. Cookies are not accepted from them. ' +
      'Not set: no other origin is allowed.',
  },
  dnsServers: {
    name: 'ROLLBOOK_DNS_SERVERS',
    kind: nameServers,
    default: undefined,
    why:
      "Set it if the system's name servers must not be asked for the records that prove domains of organizations: the addresses of " +
      'resolvers, such as `192.0.2.53` or `[2001:db8::53]:5353`. Not set: the name servers of the system.',
  },
} as const satisfies Settings
