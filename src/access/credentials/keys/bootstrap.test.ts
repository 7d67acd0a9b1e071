// Takes long for its size.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import pino from 'pino'
import { type Engine, engines, readStored } from '../../../../test/harness.ts'
import { freshSchema } from '../../../../test/postgres.ts'
import { type Running, serve } from '../../../app/serve.ts'
import { loadConfig } from '../../../core/config.ts'

type Key = { key_id: string; name: string; permissions: string[]; last_used_at: string | null }

/** Starts the service on one store as often as the test needs; each start stops the previous service. */
async function service(t: TestContext, engine: Engine) {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
  const database = engine.name === 'PostgreSQL' ? await freshSchema() : undefined
  const place = {
    ROLLBOOK_DATA_DIR: directory,
    ...(database && { ROLLBOOK_DATABASE_URL: database.url, ROLLBOOK_DATABASE_SCHEMA: database.schema }),
  }
  let running: Running | undefined
  const stop = async () => {
    await running?.stop('test')
    running = undefined
  }
  t.after(async () => {
    await stop()
    await database?.drop()
    rmSync(directory, { recursive: true })
  })

  async function restart(env: Record<string, string> = {}): Promise<Running> {
    await stop()
    const config = loadConfig({ ...place, ROLLBOOK_PORT: '0', ...env })
    running = await serve(config, pino({ enabled: false }), (error) => assert.fail(error))
    return running
  }
  const send = (method: string, path: string, key: string, body?: unknown): Promise<Response> =>
    fetch((running as Running).url + path, {
      method,
      headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const status = async (key: string): Promise<number> => (await send('GET', '/users', key)).status
  const keys = async (key: string): Promise<Key[]> => (await send('GET', '/keys', key)).json() as Promise<Key[]>
  return { directory, stored: () => readStored(directory, database), restart, send, status, keys }
}

const [keyA, keyB] = ['operators-own-key-number-one-0123456789', 'operators-own-key-number-two-0123456789']

for (const engine of engines) {
  describe(`the first administrator on ${engine.name}`, () => {
    it('finds a key with full access in a file that is for its owner only', async (t) => {
      const { directory, restart, status, keys } = await service(t, engine)
      const { adminKey } = await restart()
      const file = join(directory, 'admin-key')
      assert.equal(adminKey?.file, file)
      assert.equal(readFileSync(file, 'utf8'), `${adminKey?.key}\n`)
      assert.equal(statSync(file).mode & 0o777, 0o600)
      const key = readFileSync(file, 'utf8').trim()
      assert.match(key, /^rb_[0-9A-Za-z]{49}$/)
      assert.equal(await status(key), 200)
      assert.deepEqual(
        (await keys(key)).map(({ permissions }) => permissions),
        [['*']],
      )
    })

    it('keeps that key over restarts', async (t) => {
      const { directory, restart, status } = await service(t, engine)
      await restart()
      const key = readFileSync(join(directory, 'admin-key'), 'utf8').trim()
      assert.equal((await restart()).adminKey, undefined)
      assert.equal(readFileSync(join(directory, 'admin-key'), 'utf8').trim(), key)
      assert.equal(await status(key), 200)
    })

    it('gets a new key if no key with full access is left', async (t) => {
      const { restart, send, status, keys } = await service(t, engine)
      const first = (await restart()).adminKey?.key as string
      const [{ key_id }] = (await keys(first)) as [Key]
      await send('DELETE', `/keys/${key_id}`, first)
      assert.equal(await status(first), 401)
      const second = (await restart()).adminKey?.key as string
      assert.notEqual(second, first)
      assert.deepEqual([await status(first), await status(second)], [401, 200])
    })
  })

  describe(`ROLLBOOK_ADMIN_KEY on ${engine.name}`, () => {
    it('has full access, and no file is written', async (t) => {
      const { directory, restart, status, keys } = await service(t, engine)
      assert.equal((await restart({ ROLLBOOK_ADMIN_KEY: keyA })).adminKey, undefined)
      assert.equal(existsSync(join(directory, 'admin-key')), false)
      // Nodes on PostgreSQL need no disk.
      if (engine.name === 'PostgreSQL') assert.deepEqual(readdirSync(directory), [])
      assert.equal(await status(keyA), 200)
      assert.deepEqual((await keys(keyA))[0]?.permissions, ['*'])
    })

    it('ends with the configuration that named it', async (t) => {
      const { restart, status, keys } = await service(t, engine)
      await restart({ ROLLBOOK_ADMIN_KEY: keyA })
      await restart({ ROLLBOOK_ADMIN_KEY: keyB })
      assert.deepEqual([await status(keyA), await status(keyB)], [401, 200])
      assert.equal((await keys(keyB)).length, 1)
      const { adminKey } = await restart()
      assert.deepEqual([await status(keyB), await status(adminKey?.key as string)], [401, 200])
    })

    it('exists beside the keys that were created through the API', async (t) => {
      const { restart, status } = await service(t, engine)
      const creation = (await restart()).adminKey?.key as string
      await restart({ ROLLBOOK_ADMIN_KEY: keyA })
      assert.deepEqual([await status(creation), await status(keyA)], [200, 200])
      assert.equal((await restart()).adminKey, undefined)
      assert.deepEqual([await status(creation), await status(keyA)], [200, 401])
    })

    it('has full access even if the API has created the same key with less', async (t) => {
      const { restart, send, keys } = await service(t, engine)
      await restart({ ROLLBOOK_ADMIN_KEY: keyA })
      const created = await send('POST', '/keys', keyA, { name: 'weak', permissions: ['users:read'] })
      const weak = (await created.json()) as Key & { key: string }
      const rotated = (await (await send('POST', `/keys/${weak.key_id}/rotate`, keyA)).json()) as { key: string }
      for (const [key, names] of [
        [weak.key, ['admin (configuration)', 'weak']],
        [rotated.key, ['admin (configuration)']],
      ] as const) {
        await restart({ ROLLBOOK_ADMIN_KEY: key })
        assert.deepEqual((await keys(key)).map(({ name }) => name).sort(), names)
      }
    })

    it('is refused at the start when it is mistyped', async (t) => {
      const { stored, restart, status } = await service(t, engine)
      const mistyped = `rb_${'x'.repeat(49)}`
      await assert.rejects(restart({ ROLLBOOK_ADMIN_KEY: mistyped }), (error: Error) => {
        assert.match(error.message, /ROLLBOOK_ADMIN_KEY must be .* a key that begins with rb_ needs its checksum/)
        assert.ok(!error.message.includes(mistyped))
        return true
      })
      assert.equal((await stored()).length, 0)
      const { adminKey } = await restart()
      assert.equal(await status(adminKey?.key as string), 200)
    })
  })

  describe(`the last use of a key on ${engine.name}`, () => {
    it('is written down, at the latest when the service stops', async (t) => {
      const { restart, status, keys } = await service(t, engine)
      const before = new Date().toISOString()
      await restart({ ROLLBOOK_ADMIN_KEY: keyA })
      const first = (await keys(keyA))[0]?.last_used_at ?? ''
      assert.ok(first >= before, 'a use shows at once')
      await status(keyA)
      await restart({ ROLLBOOK_ADMIN_KEY: keyA })
      const { last_used_at } = (await keys(keyA))[0] as Key
      assert.ok(last_used_at !== null && last_used_at >= before, String(last_used_at))
    })
  })
}
