import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { makeDirectory } from '../durability/process.ts'
import { freePort } from '../free-port.ts'
import { waitUntil } from '../nodes/nodes.ts'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'examples/embedded')
const page = readFileSync(join(root, 'docs/embed.md'), 'utf8')

describe('the example programs that contain Rollbook', () => {
  for (const name of readdirSync(folder)) {
    it(`${name} is in the documentation, serves Rollbook beside its own route, and ends`, async (t) => {
      assert.ok(
        page.includes(`\`\`\`ts\n${readFileSync(join(folder, name), 'utf8')}\`\`\``),
        `docs/embed.md lacks ${name}`,
      )
      const port = await freePort()
      const cwd = makeDirectory(t)
      const child = spawn(process.execPath, ['--conditions=rollbook-source', join(folder, name)], {
        cwd,
        env: { PATH: process.env.PATH, PORT: String(port) },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const whenEnded = once(child, 'exit')
      t.after(async () => {
        if (child.kill('SIGKILL')) await whenEnded
      })
      await Promise.race([once(child.stdout, 'data'), whenEnded])
      const file = join(cwd, 'data/admin-key')
      await waitUntil('the key is there', 10_000, async () => existsSync(file))
      const headers = { 'x-api-key': readFileSync(file, 'utf8').trim() }
      const request = async (path: string, init: RequestInit) =>
        (await fetch(`http://localhost:${port}${path}`, init)).json()
      const typed = { ...headers, 'content-type': 'application/json' }
      const created = await request('/auth/users', { method: 'POST', headers: typed, body: '{"username":"ada"}' })
      assert.equal((created as { username: string }).username, 'ada')
      assert.deepEqual(((await request('/whoami', { headers })) as { permissions: string[] }).permissions, ['*'])
      assert.equal(((await request('/whoami', {})) as { code: string }).code, 'credential_missing')
      child.kill('SIGTERM')
      assert.deepEqual(await whenEnded, [0, null])
    })
  }
})
