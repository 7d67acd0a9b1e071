import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from '../harness.ts'
import { type Program, startProgram, ways } from './embedding.ts'

async function create(program: Program, username: string): Promise<{ user_id: string }> {
  const response = await program.call('POST', '/auth/users', { body: { username } })
  assert.equal(response.status, 201, await response.clone().text())
  return (await response.json()) as { user_id: string }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>

/** Reads a stream until it contains `text`; to its end without one. */
async function readUntil(reader: Reader, text?: string): Promise<void> {
  let read = ''
  for (;;) {
    const { done, value } = await reader.read()
    read += Buffer.from(value ?? []).toString()
    if (text !== undefined && read.includes(text)) return
    if (done) return assert.equal(text, undefined, `The stream ended: ${read}`)
  }
}

const cases = engines.flatMap((engine) => Object.entries(ways).map(([name, way]) => ({ engine, name, way })))

for (const { engine, name, way } of cases) {
  describe(`a program that serves Rollbook with ${name} on ${engine.name}`, () => {
    it('has the API under the base path, and its own routes beside it', async (t) => {
      const program = await startProgram(t, engine, { way })
      const { user_id } = await create(program, 'ada')
      const read = await program.call('GET', `/auth/users/${user_id}`)
      assert.equal(read.status, 200, await read.clone().text())
      assert.equal(read.headers.get('etag'), '"1"')
      const head = await program.call('HEAD', `/auth/users/${user_id}`)
      assert.deepEqual([head.status, await head.text(), head.headers.get('etag')], [200, '', '"1"'])
      const deleted = await program.call('DELETE', `/auth/users/${user_id}`)
      assert.equal(deleted.ok, true)
      assert.deepEqual(await (await program.call('GET', '/reports')).json(), [{ report_id: 1 }])
      const refused = await program.call('GET', '/auth/users', { headers: {} })
      assert.deepEqual([refused.status, ((await refused.json()) as { code: string }).code], [401, 'credential_missing'])
      const created = await program.call('POST', '/auth/users', { body: { username: 'bob' } })
      assert.match(created.headers.get('location') ?? '', new RegExp(`^${program.origin}/auth/users/`))
    })

    it('leaves every path outside the base path to the program, also if it is one of ours without the base path', async (t) => {
      const program = await startProgram(t, engine, { way })
      for (const path of ['/users', '/authority', '/auth-users', '/']) {
        assert.equal((await program.call('GET', path)).status, 404, path)
      }
      const within = await program.call('GET', '/auth/nothing')
      assert.deepEqual([within.status, ((await within.json()) as { code: string }).code], [404, 'not_found'])
    })

    it('has the sign-in page, the docs page and the console with their files', async (t) => {
      const program = await startProgram(t, engine, { way })
      for (const path of ['/auth/login', '/auth/docs', '/auth/console/']) {
        const page = await program.call('GET', path, { headers: { accept: 'text/html' } })
        const text = await page.text()
        assert.equal(page.status, 200, path)
        const [, file] = /(?:src|href)="([^"]+\.(?:js|css))"/.exec(text) ?? []
        assert.ok(file, path)
        assert.equal((await fetch(new URL(file, page.url))).status, 200, file)
      }
      const base = await fetch(`${program.origin}/auth`, { redirect: 'manual' })
      assert.deepEqual([base.status, base.headers.get('location')], [302, '/auth/docs'])
    })

    it('streams events as they happen, and ends the streams when it is closed', async (t) => {
      const program = await startProgram(t, engine, { way })
      const headers = { accept: 'text/event-stream', 'x-api-key': program.settings.ROLLBOOK_ADMIN_KEY as string }
      const response = await program.call('GET', '/auth/events', { headers })
      assert.equal(response.headers.get('content-type'), 'text/event-stream')
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      await create(program, 'ada')
      await readUntil(reader, 'user.created')
      await Promise.all([program.rollbook.close(), readUntil(reader)])
      const late = await program.call('GET', '/auth/users')
      assert.deepEqual([late.status, ((await late.json()) as { code: string }).code], [503, 'draining'])
    })

    it('applies its own limit to bodies, reads files as they arrive, and streams the whole list', async (t) => {
      const program = await startProgram(t, engine, { way, settings: { ROLLBOOK_BODY_LIMIT_BYTES: '5000' } })
      const tooLarge = await program.call('POST', '/auth/users', { body: { username: 'x'.repeat(6000) } })
      assert.deepEqual([tooLarge.status, ((await tooLarge.json()) as { code: string }).code], [413, 'body_too_large'])
      const rows = Array.from({ length: 3000 }, (_, i) => `{"username":"user-${i}","email":"user-${i}@example.com"}\n`)
      const headers = { 'x-api-key': program.settings.ROLLBOOK_ADMIN_KEY as string }
      const imported = await program.call('POST', '/auth/users/import', {
        body: rows.join(''),
        headers: { ...headers, 'content-type': 'application/x-ndjson' },
      })
      assert.equal(imported.status, 200, await imported.clone().text())
      assert.equal(((await imported.json()) as { created: number }).created, 3000)
      const listed = (await (await program.call('GET', '/auth/users')).json()) as unknown[]
      assert.equal(listed.length, 3000)
    })

    it('sees the address of the client, and that of a trusted proxy before it', async (t) => {
      const settings = { ROLLBOOK_TRUSTED_PROXIES: '127.0.0.1' }
      const program = await startProgram(t, engine, { way, settings })
      const headers = { 'x-api-key': program.settings.ROLLBOOK_ADMIN_KEY as string }
      await program.call('POST', '/auth/users', { body: { username: 'ada' }, headers })
      const forwarded = { ...headers, 'x-forwarded-for': '203.0.113.7' }
      await program.call('POST', '/auth/users', { body: { username: 'bob' }, headers: forwarded })
      const records = (await (await program.call('GET', '/auth/audit?action=user.created')).json()) as {
        address: string
      }[]
      assert.deepEqual(records.map(({ address }) => address).sort(), ['127.0.0.1', '203.0.113.7'])
    })
  })
}
