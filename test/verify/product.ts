/** A product: Rollbook, people and programs with credentials of it, and a way to it that can be cut. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { type Engine, type Started, start } from '../harness.ts'
import { type Browser, createPerson, openBrowser, type Person } from '../people.ts'
import { type Network, startProxy } from './proxy.ts'

export type Product = {
  app: Started
  proxy: Network
  /** Rollbook's public URL: through the proxy. */
  issuer: string
  /** The main API's own key. */
  key: string
}

export type Ada = { person: Person; browser: Browser; cookie: string; token: string }

const roles = { ROLLBOOK_ROLES: '{"analyst": ["reports:read"], "editor": ["reports:read", "reports:write"]}' }

export async function startProduct(t: TestContext, engine: Engine): Promise<Product> {
  const proxy = await startProxy(t)
  const issuer = `${proxy.origin}/auth`
  const app = await start(t, engine, { env: { ...roles, ROLLBOOK_PUBLIC_URL: issuer } })
  proxy.target = Number(new URL(await app.listen()).port)
  const { key } = await makeKey(app, ['tokens:introspect'])
  return { app, proxy, issuer, key }
}

export async function makeKey(app: Started, permissions: string[]): Promise<{ key: string; key_id: string }> {
  const response = await app.call('POST', '/keys', { body: { name: permissions.join(' '), permissions } })
  assert.equal(response.status, 201, response.text)
  return response.body
}

/** A signed-in user, with a session cookie and an access token. */
export async function signInAs(app: Started, role: string): Promise<Ada> {
  const person = await createPerson(app, { role })
  const browser = await openBrowser(app, person.username)
  const response = await browser.call('POST', '/token')
  assert.equal(response.status, 200, response.text)
  return { person, browser, cookie: browser.cookie, token: response.body.access_token }
}

/** Starts `examples/<name>/server.ts` as its first lines say. Returns its URL. */
export async function startExample(t: TestContext, name: string, { issuer, key }: Product): Promise<string> {
  const file = join(import.meta.dirname, '../../examples', name, 'server.ts')
  // `npm ci` does it too, but a checkout may have been updated since.
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../scripts/link-sdk.js')])
  const child = spawn(process.execPath, ['--conditions=rollbook-source', file], {
    env: { PATH: process.env.PATH, ROLLBOOK_URL: issuer, ROLLBOOK_KEY: key, PORT: '0' },
    // What it says of trouble with the feed is expected when a test cuts it.
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(async () => {
    if (child.kill()) await once(child, 'exit')
  })
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^listening on (http:\S+)$/.exec(line)?.[1]
    if (url !== undefined) return url
  }
  return assert.fail(`The example ${name} did not start: ${errors}`)
}
