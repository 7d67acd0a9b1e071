/** Second factors for the tests: an authenticator app of our own, and people who have one. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { Authenticator } from './authenticator.ts'
import type { Answer, Started } from './harness.ts'
import { type Browser, cookiesOf, createPerson, openBrowser, type Person, password, signIn } from './people.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The code of a secret in base32 at this time (RFC 4226 §5.3, RFC 6238 §4), written a second time. */
export function codeOf(secret: string, now: number): string {
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [])
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(now / 30_000)))
  const digest = createHmac('sha1', key).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 15
  return String((digest.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0')
}

export type Phone = { factor_id: string; secret: string }

/** Adds one-time codes in this browser, with the code of this moment. */
export async function addPhone({ call }: Browser, now: number): Promise<Phone> {
  const begun = await call('POST', '/me/factors/totp', { body: { name: 'phone' } })
  assert.equal(begun.status, 201, begun.text)
  const { factor_id, secret } = begun.body
  const body = { code: codeOf(secret, now) }
  const confirmed = await call('POST', `/me/factors/totp/${factor_id}/confirm`, { body })
  assert.equal(confirmed.status, 200, confirmed.text)
  return { factor_id, secret }
}

export type PersonWithPhone = Person & { phone: Phone; browser: Browser }

/** The code of the enrollment is spent: the next one is of the next step. */
export async function personWithPhone(
  app: Started,
  now: number,
  members: Record<string, string> = {},
): Promise<PersonWithPhone> {
  const person = await createPerson(app, members)
  const browser = await openBrowser(app, person.username)
  return { ...person, browser, phone: await addPhone(browser, now) }
}

/** The passkey is of this machine, as no public URL is set: its requests have the header `Host: localhost`. */
export async function personWithPasskey(
  app: Started,
  members: Record<string, string> = {},
): Promise<Person & { browser: Browser; device: Authenticator }> {
  const person = await createPerson(app, members)
  const browser = await openBrowser(app, person.username)
  const headers = { host: 'localhost' }
  const begun = await browser.call('POST', '/me/factors/passkeys/options', { headers })
  assert.equal(begun.status, 200, begun.text)
  const device = new Authenticator({ origin: 'http://localhost' })
  const body = { challenge_id: begun.body.challenge_id, passkey: device.create(begun.body.options) }
  const added = await browser.call('POST', '/me/factors/passkeys', { headers, body })
  assert.equal(added.status, 201, added.text)
  return { ...person, browser, device }
}

export type Challenge = { challenge_id: string; methods: string[]; cookie: string }

/** The first step of a sign-in that needs another. */
export async function beginSignIn(app: Started, name: string, secret = password): Promise<Challenge> {
  const response = await signIn(app, name, secret)
  assert.deepEqual([response.status, response.body.code], [401, 'second_factor_required'], response.text)
  return { ...response.body, cookie: cookiesOf(response) }
}

/** The second step, from the browser of the first. */
export function finishSignIn(
  app: Started,
  { challenge_id, cookie }: Challenge,
  proof: Record<string, unknown>,
): Promise<Answer> {
  return app.call('POST', '/sessions', { key: null, body: { challenge_id, ...proof }, headers: { cookie } })
}
