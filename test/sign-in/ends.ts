/** What a sign-in ends with, as everything sees it that a session gives access to. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type Answer, type Engine, type Started, start } from '../harness.ts'
import { cookiesOf } from '../people.ts'
import { startProduct } from '../proxies/product.ts'

export const policies = {
  optional: {},
  required: { ROLLBOOK_SECOND_FACTOR: 'required' },
  'required later': { ROLLBOOK_SECOND_FACTOR: 'required', ROLLBOOK_SECOND_FACTOR_FROM: '2099-01-15' },
}

export type Policy = keyof typeof policies

/** `in`: a session that may do everything. `enroll`: one that may add a factor. `out`: none; a code is needed. */
export type End = 'in' | 'enroll' | 'out'

const origins = new WeakMap<Started, string>()

type Starting = { env: Record<string, string>; clock?: () => number }

/** With a product behind the gateway. */
export async function startWithProduct(t: TestContext, engine: Engine, { env, clock }: Starting): Promise<Started> {
  const product = await startProduct(t)
  const options = { env: { ...env, ROLLBOOK_UPSTREAM: product.origin }, ...(clock && { clock }) }
  const app = await start(t, engine, options)
  origins.set(app, new URL(await app.listen()).origin)
  return app
}

/** The session of an administrator who has just been authenticated. */
export const endOf = (app: Started, response: Answer) => endWith(app, cookiesOf(response), administration)

type Call = [method: string, path: string, body?: object]

const administration: Call[] = [
  ['GET', '/users'],
  ['POST', '/keys', { name: 'half', permissions: ['users:read'] }],
]

/** Everything that the cookies give access to agrees on what they may do. */
export async function endWith(app: Started, cookie: string, more: Call[] = []): Promise<End> {
  const call = async ([method, path, body]: Call) => {
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    const response = await app.call(method, path, { key: null, headers, ...(body && { body }) })
    return response.status < 300 ? 'in' : (response.headers['rollbook-code'] ?? response.body.code)
  }
  const gateway = await fetch(`${origins.get(app)}/orders`, { headers: { cookie } })
  const found = new Set([gateway.ok ? 'in' : ((await gateway.json()) as { code: string }).code])
  for (const one of [['GET', '/verify/nginx'], ['POST', '/token'], ...more] as Call[]) found.add(await call(one))
  assert.equal(found.size, 1, [...found].join())
  const [only] = found
  if (only === 'in') return 'in'
  if (only === 'credential_missing' || only === 'credential_invalid') return 'out'
  assert.equal(only, 'factor_required')
  assert.equal(await call(['GET', '/me/factors']), 'in')
  return 'enroll'
}
