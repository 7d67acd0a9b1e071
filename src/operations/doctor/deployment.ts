/** Checks the deployment from the client's side: what proxies in between do to requests and responses. */
import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import { makeApiKey } from '../../lib/api-key.ts'
import type { Deployment } from '../deployment/schema.ts'
import { compareClocks } from './clock.ts'
import { type Finding, messageOf, reportOf } from './finding.ts'
import { type Answer, type Probe, probeOf } from './probe.ts'

const { ok, warning, failed, skipped } = reportOf('deployment')

type Options = { url: string; key: string | undefined; timeoutMs: number }

/** A documentation address (RFC 5737): no client has it. */
const nobodysAddress = '203.0.113.77'
const streamMs = 3000
const certificateDays = 14
/** A company needs longer to hand over the next one. */
const providerCertificateDays = 30
const [sightCheck, keyCheck] = ['what the service sees', 'key']
const proxyAdvice = 'docs/in-front-of-your-product.md has working configurations.'

export async function checkDeployment({ url, key, timeoutMs }: Options): Promise<Finding[]> {
  const probe = probeOf(url, timeoutMs)
  const { findings, live } = await reach(probe)
  if (live === undefined) return findings
  findings.push(...checkAnswer(probe, live))
  findings.push(await checkReady(probe))
  findings.push(await checkPrefix(probe))
  findings.push(...(await checkPages(probe)))
  findings.push(...(await checkCredentials(probe, key)))
  if (key === undefined) {
    const advice = 'Set --key-file to a key with metrics:read (and tokens:introspect for event streams).'
    findings.push(skipped(sightCheck, 'it needs a key', advice))
    return findings
  }
  const sight = await checkSight(probe, key)
  findings.push(...sight)
  findings.push(...(await checkProviderCertificates(probe, key)))
  // A refused key cannot follow a stream either.
  if (!sight.some(({ status, check }) => status === 'failed' && check === keyCheck)) {
    findings.push(await checkStreams(probe, key))
  }
  return findings
}

/** `live` is undefined if nothing more can be checked. */
async function reach(probe: Probe): Promise<{ findings: Finding[]; live?: Answer }> {
  const { url } = probe
  let response: Answer
  try {
    response = await probe.get('/health/live', { 'x-request-id': requestId })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const isTls = /CERT|TLS|SSL|SIGNED|ISSUER|ALTNAME/.test(code ?? '')
    const advice = isTls
      ? 'Install a certificate that browsers trust, with the whole chain. For your own CA, set NODE_EXTRA_CA_CERTS.'
      : 'Check that the name resolves to this host, and that the proxy or the service listens on that port.'
    return { findings: [failed('reached', `${url.href}: ${messageOf(error) || code}`, advice)] }
  }
  const { status, headers, json } = response
  if (status === 200 && json?.status === 'ok') return { findings: [ok('reached', url.href)], live: response }
  if (status >= 300 && status < 400) {
    const target = `${headers.location ?? 'elsewhere'}`.replace(/\/health\/live$/, '')
    return { findings: [failed('reached', `it redirects to ${target}`, `Use that address: --url ${target}`)] }
  }
  const isOurs = `${headers['content-type']}`.startsWith('application/problem+json')
  if (status >= 502 && status <= 504 && !isOurs) {
    const advice =
      'The proxy cannot reach the service. Check the upstream address in the proxy, and that the service runs.'
    return { findings: [failed('reached', `a proxy responds with ${status}`, advice)] }
  }
  const advice = isOurs
    ? 'Rollbook responds, but with another prefix. Compare --url, ROLLBOOK_BASE_PATH and how the proxy rewrites the path.'
    : `Another program responds. Let the proxy forward ${url.pathname} to Rollbook. ${proxyAdvice}`
  return {
    findings: [failed('reached', `${url.href}/health/live responds with ${status}, not with 200 and ok`, advice)],
  }
}

const requestId = `doctor-${randomUUID()}`

function checkAnswer({ url }: Probe, live: Answer): Finding[] {
  const findings = [...checkCertificate(live), ...checkHeaders(live, url)]
  const { date, 'x-request-id': id } = live.headers
  if (date !== undefined) {
    // The Date header has whole seconds.
    const middle = (live.sentAt + live.answeredAt) / 2
    const blurMs = (live.answeredAt - live.sentAt) / 2 + 500
    findings.push(compareClocks("the server's clock", Date.parse(date) + 500 - middle, blurMs))
  }
  findings.push(
    id === requestId
      ? ok('request id', 'comes back as it was sent')
      : warning(
          'request id',
          'X-Request-Id does not come back as it was sent',
          'Let the proxy pass it on in both directions.',
        ),
  )
  return findings
}

function checkCertificate({ certificate }: Answer): Finding[] {
  if (certificate?.valid_to === undefined) return []
  const days = Math.floor((Date.parse(certificate.valid_to) - Date.now()) / 86_400_000)
  if (days >= certificateDays) return [ok('certificate', `trusted, valid for ${days} more days`)]
  return [
    warning('certificate', `it expires in ${days} days`, 'Renew it, and find out why it is not renewed automatically.'),
  ]
}

function checkHeaders({ headers }: Answer, url: URL): Finding[] {
  const wanted: [name: string, value: RegExp][] = [
    ['x-content-type-options', /^nosniff$/],
    ['content-security-policy', /^default-src 'none'; frame-ancestors 'none'$/],
    ['cache-control', /^no-store$/],
  ]
  const changed = wanted.filter(([name, value]) => !value.test(String(headers[name] ?? '')))
  const findings = changed.map(([name]) => {
    const found = headers[name] === undefined ? `${name} is missing` : `${name} was changed or duplicated`
    return failed('security headers', found, 'Let the proxy pass on response headers unchanged.')
  })
  if (findings.length === 0) findings.push(ok('security headers', 'as the service sends them'))
  if (url.protocol === 'https:' && headers['strict-transport-security'] === undefined) {
    const advice = 'Set ROLLBOOK_PUBLIC_URL to the https address. The service then sends this header.'
    findings.push(warning('security headers', 'strict-transport-security is missing', advice))
  }
  return findings
}

async function checkReady(probe: Probe): Promise<Finding> {
  const { status, json } = await probe.get('/health/ready')
  if (status === 200) return ok('ready', 'accepts requests')
  const advice = 'Check the log of the service: its storage does not respond, or it is stopping.'
  return failed('ready', String(json?.detail ?? `health/ready responds with ${status}`), advice)
}

async function checkPrefix(probe: Probe): Promise<Finding> {
  const { status, json } = await probe.get('/openapi.json')
  if (status !== 200) return failed('prefix', `openapi.json responds with ${status}`, proxyAdvice)
  const serverUrl = (json?.servers as { url?: string }[] | undefined)?.[0]?.url ?? ''
  const path = URL.canParse(serverUrl) ? new URL(serverUrl).pathname : serverUrl
  const requestedPath = probe.url.pathname
  if (path.replace(/\/+$/, '') === requestedPath.replace(/\/+$/, '')) return ok('prefix', requestedPath)
  const advice =
    'Set ROLLBOOK_PUBLIC_URL to the address that clients use, including the prefix. Until then links point elsewhere.'
  return failed('prefix', `clients use ${requestedPath}, but the service uses ${path || '/'}`, advice)
}

async function checkPages(probe: Probe): Promise<Finding[]> {
  const pages = [
    ['docs page', '/docs'],
    ['sign-in page', '/login'],
  ] as const
  return Promise.all(pages.map(([check, path]) => checkPage(probe, check, path)))
}

/** Includes one of the page's scripts or styles, which a proxy may serve itself. */
async function checkPage(probe: Probe, check: string, path: string): Promise<Finding> {
  const page = await probe.get(path, { accept: 'text/html' })
  if (page.status !== 200) return failed(check, `${path} responds with ${page.status}`, proxyAdvice)
  const policy = String(page.headers['content-security-policy'] ?? '')
  if (!policy.includes("frame-ancestors 'none'") || policy.split('default-src').length !== 2) {
    return failed(
      check,
      'its content-security-policy was changed',
      'Let the proxy pass on this header unchanged; it fits only this page.',
    )
  }
  const asset = /(?:src|href)="([^"]+\.(?:js|css))"/.exec(page.text)?.[1]
  if (asset === undefined) return failed(check, 'the page has no script or style', 'The proxy must not change pages.')
  const at = new URL(asset, `${probe.url.href.replace(/\/+$/, '')}${path}`)
  const base = probe.url.pathname.replace(/\/+$/, '')
  if (at.origin !== probe.url.origin || !at.pathname.startsWith(`${base}/`)) {
    return failed(check, `it loads ${at.href}`, 'Set ROLLBOOK_PUBLIC_URL to the address that clients use.')
  }
  const { status } = await probe.get(at.pathname.slice(base.length) + at.search)
  if (status === 200) return ok(check, `${path} and what it loads`)
  return failed(
    check,
    `${at.pathname} responds with ${status}`,
    `Let the proxy forward everything below the prefix to Rollbook. ${proxyAdvice}`,
  )
}

/** Sent where a credential is required: if it was recognized, even as a wrong one, it has arrived. */
async function checkCredentials(probe: Probe, key: string | undefined): Promise<Finding[]> {
  const secret = key ?? makeApiKey()
  const arrives = async (headers: Record<string, string>): Promise<boolean> => {
    const { status, json } = await probe.get('/deployment', headers)
    return !(status === 401 && json?.code === 'credential_missing')
  }
  const findings: Finding[] = []
  for (const [name, value] of [
    ['X-API-Key', secret],
    ['Authorization', `Bearer ${secret}`],
  ] as const) {
    findings.push(
      (await arrives({ [name]: value }))
        ? ok('credentials', `${name} arrives`)
        : failed('credentials', `${name} does not arrive`, 'Let the proxy pass it on to Rollbook.'),
    )
  }
  findings.push(await checkCookie(probe.url, (name) => arrives({ cookie: `${name}=doctor` })))
  return findings
}

async function checkCookie({ protocol }: URL, arrives: (name: string) => Promise<boolean>): Promise<Finding> {
  const [secure, plain] = [await arrives('__Host-rollbook'), await arrives('rollbook')]
  if (!secure && !plain) return failed('cookies', 'Cookie does not arrive', 'Let the proxy pass it on to Rollbook.')
  if (secure === (protocol === 'https:')) {
    return ok('cookies', secure ? '__Host-rollbook, only for this host and https' : 'rollbook, without https')
  }
  if (secure) {
    const advice = 'Use the https address. Users cannot stay signed in over http, which is intended.'
    return failed('cookies', 'the service accepts cookies only over https, and this is http', advice)
  }
  const advice =
    'Set ROLLBOOK_PUBLIC_URL to the https address. Cookies are then named __Host-rollbook and marked Secure.'
  return failed('cookies', 'the service does not know that clients use https, so its cookies are not Secure', advice)
}

type Certified = { name: string; active: boolean; certificate_details?: { not_after: string }[] }

/** Certificates of SAML providers, if the key may read connections. */
async function checkProviderCertificates(probe: Probe, key: string): Promise<Finding[]> {
  const { status, json } = await probe.get('/connections', { 'x-api-key': key })
  if (status !== 200 || !Array.isArray(json)) return []
  const connections = (json as Certified[]).filter((one) => one.active && one.certificate_details !== undefined)
  const ending = connections.flatMap(({ name, certificate_details = [] }) => {
    const last = Math.max(...certificate_details.map(({ not_after }) => Date.parse(not_after)))
    const days = Math.floor((last - Date.now()) / 86_400_000)
    return days < providerCertificateDays ? [{ name, days }] : []
  })
  if (ending.length === 0) {
    return connections.length === 0
      ? []
      : [ok('certificates of providers', `valid for ${providerCertificateDays} days`)]
  }
  const advice =
    'Add the next certificate of the provider to the connection, beside the current one (docs/sign-in-saml.md).'
  return ending.map(({ name, days }) => {
    const found = days < 0 ? `that of ${name} has ended` : `that of ${name} ends in ${days} days`
    return warning('certificates of providers', found, advice)
  })
}

async function checkSight(probe: Probe, key: string): Promise<Finding[]> {
  const response = await probe.get('/deployment', { 'x-api-key': key, 'x-forwarded-for': nobodysAddress })
  if (response.status !== 200) {
    const code = String(response.json?.code ?? response.status)
    const advice = 'Use a key with metrics:read.'
    if (response.status === 403) return [skipped(sightCheck, 'the key lacks metrics:read', advice)]
    if (response.status === 404) {
      return [skipped(sightCheck, 'the service runs an earlier release', 'Use the doctor of that release.')]
    }
    return [failed(keyCheck, `it is refused (${code})`, advice)]
  }
  const deployment = response.json as unknown as Deployment
  const plain = await probe.get('/deployment', { 'x-api-key': key })
  const seen = (plain.json as unknown as Deployment).request
  const { url } = probe
  return [
    ok('release', `${deployment.version} on Node.js ${deployment.node_version}, ${deployment.storage.engine}`),
    checkPublicUrl(url, deployment),
    checkHost(url, deployment, seen),
    ...checkProxy(url, deployment, seen),
    checkForgery(deployment.request, seen),
  ]
}

type Seen = Deployment['request']

function checkPublicUrl(url: URL, { public_url }: Deployment): Finding {
  const requestedUrl = url.href.replace(/\/+$/, '')
  if (public_url === requestedUrl) return ok('public URL', requestedUrl)
  const advice = `If clients use this address, set ROLLBOOK_PUBLIC_URL=${requestedUrl}`
  if (public_url !== null) return failed('public URL', `the service has ${public_url}`, advice)
  if (isLocal(url) && url.protocol === 'http:') return ok('public URL', 'not set, and not needed on a single machine')
  return failed('public URL', 'the service does not know its public address', advice)
}

function checkHost(url: URL, { public_url }: Deployment, { host, forwarded_host }: Seen): Finding {
  if (host === url.host) return ok('Host', url.host)
  const found = `the service sees ${host ?? 'none'}${forwarded_host === url.host ? ', and the correct host in X-Forwarded-Host' : ''}`
  const advice = 'Let the proxy pass on Host unchanged (nginx: proxy_set_header Host $host).'
  return public_url === null ? failed('Host', found, advice) : warning('Host', found, advice)
}

/** Whether the service trusts the proxy's headers, and whether the proxy sends the needed ones. */
function checkProxy(url: URL, { trusted_proxies }: Deployment, seen: Seen): Finding[] {
  const { peer_address: peer, client_address: client, from_trusted_proxy: isTrusted, scheme } = seen
  const isProxied = [seen.forwarded_for, seen.forwarded_proto, seen.forwarded_host].some((text) => text !== null)
  const isSecure = url.protocol === 'https:'
  if (isProxied && !isTrusted) {
    const trusted = trusted_proxies.length === 0 ? 'none is' : `only ${trusted_proxies.join(', ')} are`
    const advice = `Add ${peer} to ROLLBOOK_TRUSTED_PROXIES. Until then all clients seem to come from that address.`
    return [failed('client address', `the proxy ${peer} is not trusted (${trusted})`, advice)]
  }
  const findings: Finding[] = []
  if (seen.forwarded_for === null && (isProxied || isSecure)) {
    const advice = 'Let the proxy set X-Forwarded-For. Without it, all clients seem to come from the proxy.'
    findings.push(failed('client address', `the service sees ${client}, the address of the proxy`, advice))
  } else if (isIP(client) === 0) {
    const advice = 'Let the proxy write only addresses into X-Forwarded-For.'
    findings.push(failed('client address', `the service sees ${client || 'none'}`, advice))
  } else {
    const by = isProxied ? `, through the proxy ${peer}` : ', without a proxy'
    findings.push(ok('client address', `the service sees you as ${client}${by}`))
  }
  if (scheme === (isSecure ? 'https' : 'http')) findings.push(ok('scheme', `the service sees ${scheme}`))
  else {
    const said = seen.forwarded_proto === null ? 'nothing' : seen.forwarded_proto
    const advice = 'Let the proxy set X-Forwarded-Proto to the scheme that clients use.'
    findings.push(failed('scheme', `clients use ${url.protocol.slice(0, -1)}, but the proxy says ${said}`, advice))
  }
  return findings
}

/** `forged` is the address the service saw when we claimed another one. */
function checkForgery(forged: Seen, seen: Seen): Finding {
  const check = 'forged address'
  if (forged.client_address !== nobodysAddress) return ok(check, 'a forged X-Forwarded-For is ignored')
  const last = forged.forwarded_for?.split(',').at(-1)?.trim()
  const isOnHost = last !== nobodysAddress || seen.forwarded_for === null
  const found = 'the service believes the X-Forwarded-For of this machine'
  if (isOnHost) {
    const advice = 'This machine is in ROLLBOOK_TRUSTED_PROXIES. To be sure, run the doctor from another machine.'
    return warning(check, found, advice)
  }
  const advice = 'Let the proxy replace X-Forwarded-For or append to it. Now it passes on whatever the client claims.'
  return failed(check, found, advice)
}

function isLocal({ hostname }: URL): boolean {
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname)
}

async function checkStreams(probe: Probe, key: string): Promise<Finding> {
  const check = 'event streams'
  const headers = { 'x-api-key': key, accept: 'text/event-stream' }
  // Try both streams: the key may lack permission for one. Role events are rare, so this one stays small.
  for (const path of ['/revocations', '/events?type=role.*']) {
    const { status, afterMs } = await probe.firstBytes(path, headers, streamMs)
    if (status === 403) continue
    if (status !== 200) return failed(check, `${path} answers ${status}`, 'Check the log of the service.')
    if (afterMs !== undefined) return ok(check, 'arrive without delay')
    const advice =
      'The proxy buffers responses. Turn that off for the prefix (nginx: proxy_buffering off), or revocations ' +
      'and changes arrive late.'
    return failed(check, `nothing arrives within ${streamMs / 1000} s`, advice)
  }
  return skipped(check, 'the key lacks tokens:introspect and events:read', 'Use a key with one of them.')
}
