/** What the tests of tokens share: a caller's token, a token of any form that our own key signs, and a hand clock. */
import assert from 'node:assert/strict'
import type { OwnClaims } from '../../src/access/credentials/tokens/claims.ts'
import { type Answer, createUser, type Request as Sent, type Started } from '../harness.ts'

export const bearer = (token: string): Sent => ({ key: null, headers: { authorization: `Bearer ${token}` } })
export const withCookie = (cookie: string, headers: Record<string, string> = {}): Sent => ({
  key: null,
  headers: { cookie, 'sec-fetch-site': 'same-origin', ...headers },
})

export type Key = { key_id: string; key: string }

export async function makeKey(app: Started, permissions: string[], others: object = {}): Promise<Key> {
  const response = await app.call('POST', '/keys', { body: { name: 'test', permissions, ...others } })
  assert.equal(response.status, 201, response.text)
  return response.body
}

export async function tokenOf(app: Started, caller: Sent = {}): Promise<string> {
  const response = await app.call('POST', '/token', caller)
  assert.equal(response.status, 200, response.text)
  return response.body.access_token
}

export type Person = { user_id: string; username: string; password: string }
export type SignedIn = Person & { cookie: string; session_id: string }

let people = 0

export async function makePerson(app: Started, members: Record<string, string> = {}): Promise<Person> {
  const password = 'a heron on the quiet river'
  const username = `person-${++people}`
  const { user_id } = await createUser(app, { username, password, ...members })
  return { user_id: user_id as string, username, password }
}

export async function signIn(app: Started, person: Person): Promise<SignedIn> {
  const { username, password } = person
  const response = await app.call('POST', '/sessions', { key: null, body: { username, password } })
  assert.equal(response.status, 201, response.text)
  const [cookie = ''] = [response.headers['set-cookie'] ?? '']
    .flat()
    .flatMap((one) => /^rollbook=[^;]+/.exec(one)?.[0] ?? [])
  assert.notEqual(cookie, '')
  return { ...person, cookie, session_id: response.body.session_id }
}

export async function signedIn(app: Started, members: Record<string, string> = {}): Promise<SignedIn> {
  return signIn(app, await makePerson(app, members))
}

/** The parts of a token, as they are before anything is proven. */
export function partsOf(jwt: string): { header: Record<string, unknown>; claims: OwnClaims } {
  const [header, claims] = jwt.split('.').map((part) => Buffer.from(part, 'base64url').toString())
  return { header: JSON.parse(header as string), claims: JSON.parse(claims as string) }
}

/** Any header and claims, signed by the service's own key: what a bug of ours, or a thief of the key, could make. */
export async function signAs(app: Started, header: object | string, claims: object | string): Promise<string> {
  const [row] = await app.runSql('SELECT private_key FROM signing_keys ORDER BY signs_from LIMIT 1')
  const jwk = JSON.parse(String(row?.private_key))
  const key = await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['sign'])
  const [head, body] = [header, claims].map((part) => (typeof part === 'string' ? part : JSON.stringify(part)))
  const input = `${encode(head as string)}.${encode(body as string)}`
  const signature = await crypto.subtle.sign('Ed25519', key, Buffer.from(input))
  return `${input}.${Buffer.from(signature).toString('base64url')}`
}

export function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}

export function assertRefused({ status, body, headers }: Answer, what: string): void {
  assert.deepEqual([status, body?.code], [401, 'credential_invalid'], what)
  assert.match(headers['www-authenticate'] ?? '', /^Bearer .*error="invalid_token"/, what)
}

/** A clock for the test to turn. */
export function handClock(now = Date.UTC(2026, 10, 20)) {
  const clock = { now, read: () => clock.now }
  return clock
}
