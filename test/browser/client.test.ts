import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { launchBrowser } from '../browser.ts'
import { startWay } from '../client/unreliable.ts'
import { adminKey, anyEngine, start } from '../harness.ts'
import { serveHttp } from '../http-server.ts'

const sources = join(import.meta.dirname, '../../src/sdk/client')

/** An origin with an empty page and the client, as a bundler would leave it. */
async function startSite(t: { after(end: () => void): void }): Promise<string> {
  const { origin } = await serveHttp(t, ({ url = '/' }, response) => {
    const [, name] = /^\/([a-z-]+\.ts)$/.exec(url) ?? []
    if (name === undefined)
      return response.setHeader('content-type', 'text/html').end('<!doctype html><title>.</title>')
    const code = stripTypeScriptTypes(readFileSync(join(sources, name), 'utf8'))
    return response.setHeader('content-type', 'text/javascript').end(code)
  })
  return origin
}

const browser = await launchBrowser()

describe('the client in Chromium', { skip: browser === undefined && 'there is no Chromium' }, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('creates, lists, updates, and is refused, from a page of another origin, although answers are lost', async (t) => {
    const site = await startSite(t)
    const app = await start(t, anyEngine, { env: { ROLLBOOK_CORS_ORIGINS: site } })
    const way = await startWay(t, await app.listen())
    way.fate = ({ method, number }) => (method !== 'OPTIONS' && number % 4 === 3 ? 'lose' : 'pass')
    const page = await browser.newPage()
    t.after(() => page.close())
    await page.goto(site)
    const seen = await page.evaluate(
      async ([url, apiKey]) => {
        const { RollbookClient, RollbookError } = (await import(
          '/index.ts' as string
        )) as typeof import('../../src/sdk/client/index.ts')
        const client = new RollbookClient({ url: url as string, apiKey: apiKey as string })
        for (let i = 0; i < 20; i += 1) await client.users.create({ username: `user-${i}` })
        const names: string[] = []
        for await (const { username } of client.users.list({ sort: 'created_at' })) names.push(username)
        const user = await client.users.byUsername('USER-7')
        if (user === undefined) throw new Error('user-7 is not there')
        await client.users.update(user.user_id, ({ username }) => ({ first_name: username }))
        // A row of a list, which is outdated by now.
        const refused = await client.users.update(user, { last_name: 'late' }).catch((error: unknown) => error)
        const { next, total } = await client.users.page({ limit: 5, count: true })
        return {
          names,
          refused: refused instanceof RollbookError ? refused.code : String(refused),
          first_name: (await client.users.get(user.user_id)).first_name,
          hasNext: next !== undefined,
          total,
        }
      },
      [way.url, adminKey],
    )
    assert.deepEqual(seen, {
      names: Array.from({ length: 20 }, (_, i) => `user-${i}`),
      refused: 'precondition_failed',
      first_name: 'user-7',
      hasNext: true,
      total: 20,
    })
  })
})
