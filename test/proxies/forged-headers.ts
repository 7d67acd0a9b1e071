/** Headers by which a caller says who they are, or where they are, in every spelling that a server could take for ours. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { identityHeaderNames } from '../../src/access/pages/forward-auth/identity.ts'
import { exchange } from '../http/raw-client.ts'
import { asCgi, type Product, type Received } from './product.ts'

/** RFC 9110 §5.6.2: what a name may have beside letters, digits and hyphens. */
const oddCharacters = "_.~!#$%&'*+^`|"
const forged = 'forged'

function respelt(name: string): string[] {
  const each = [...oddCharacters].map((odd) => name.replaceAll('-', odd))
  const mixed = name.split('-').length > 2 ? [name.replace('-', '_'), name.replace(/-(?=[^-]*$)/, '.')] : []
  return [...each, ...mixed, name.toUpperCase(), name.replace('-', '_').toUpperCase()]
}

/** Each list fits into one request. */
export const forgedHeaders: readonly (readonly string[])[] = [
  ...identityHeaderNames.map((name) => [name, ...respelt(name)]),
  ['Remote-User', 'Remote-User', 'remote-user', 'Remote.User', 'Remote.User', 'REMOTE~USER', 'rEMOTE_uSER'],
  [
    'X_Forwarded_For',
    'X.Forwarded-For',
    'x-forwarded~for',
    'X_Forwarded_Proto',
    'X.Forwarded.Host',
    'Forwarded',
    'Proxy',
  ],
  [
    'X-Original-URL',
    'X-Rewrite-URL',
    'X_Original_URL',
    'X.Rewrite.URL',
    'X-Real-IP',
    'X_Real_IP',
    'Client-IP',
    'X-Forwarded-Port',
    'X.Forwarded-Port',
    'X-Forwarded-Prefix',
  ],
].map((names) => names.map((name) => `${name}: ${forged}`))

/** One of ours with something behind it. */
export const extendedHeaders: readonly string[] = identityHeaderNames.flatMap((name) =>
  ['-', '_', '.', '--', '-Foo', '-x.y', '2'].map((more) => `${name}${more}: ${forged}`),
)

/** What a product that reads names as CGI does must find there. */
export function assertNothingForged({ rawHeaders }: Received, username: string): void {
  const variables = asCgi(rawHeaders)
  assert.deepEqual(variables.get('HTTP_REMOTE_USER'), [username])
  for (const [name, values] of variables) {
    assert.ok(!values.some((value) => value.includes(forged)), `${name}: ${values}`)
    if (/^HTTP_(REMOTE|X_FORWARDED|X_REAL)/.test(name)) assert.equal(values.length, 1, name)
  }
}

export const websocketHandshake = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
]

/** Sends a request as it is written. Resolves once the product has received it, or a refusal has come back. */
export async function sendThrough(port: number, product: Product, lines: readonly string[]) {
  product.received.length = 0
  let status: number | undefined
  const exchanged = exchange(port, [`${lines.join('\r\n')}\r\n\r\n`]).then(({ answers }) => {
    status = answers[0]?.status ?? 0
  })
  // An open websocket is never answered.
  while (product.received.length === 0 && status === undefined) await Promise.race([exchanged, sleep(5)])
  return { status, seen: product.received[0] }
}
