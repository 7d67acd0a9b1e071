// Takes long for its size.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Decrypter } from 'age-encryption'
import {
  addPhone,
  beginSignIn,
  codeOf,
  finishSignIn,
  personWithPasskey,
  personWithPhone,
} from '../../../test/factors.ts'
import { adminKey, anyEngine, createUser, engines, type Started, start } from '../../../test/harness.ts'
import { createPerson, openBrowser, signIn } from '../../../test/people.ts'
import { fillWithLargeUsers } from '../../../test/reading.ts'

const passphrase = 'opened by few people only'

type Asked = { query?: string; key?: string; secret?: string; factors?: boolean }

function send(
  base: string,
  { query = '', key = adminKey, secret = passphrase, factors }: Asked = {},
): Promise<Response> {
  return fetch(`${base}/users/export${query}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ passphrase: secret, factors }),
  })
}

async function open(file: Uint8Array, secret = passphrase): Promise<Record<string, unknown>[]> {
  const decrypter = new Decrypter()
  decrypter.addPassphrase(secret)
  const text = await decrypter.decrypt(file, 'text')
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

async function keyWith(app: Started, ...permissions: string[]): Promise<{ key_id: string; key: string }> {
  return (await app.call('POST', '/keys', { body: { name: 'a key', permissions } })).body
}

for (const engine of engines) {
  describe(`the export with password hashes on ${engine.name}`, () => {
    it('contains every user of the list with the password hash, for anyone with the passphrase', async (t) => {
      const app = await start(t, engine)
      const ada = await createPerson(app, { username: 'ada', first_name: 'Äda "A"', external_id: 'hr-1' })
      await createUser(app, { username: 'without.password' })
      const temporary = await createUser(app, { username: 'temporary' })
      const set = { password: 'a moth in relay seventy', must_change: true }
      await app.call('POST', `/users/${temporary.user_id}/password`, { body: set })
      await app.call('PATCH', `/users/${ada.user_id}`, { body: { active: false } })
      const base = await app.listen()

      const response = await send(base)
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('total-count'), '3')
      const file = new Uint8Array(await response.arrayBuffer())
      const hashes = await app.runSql('SELECT user_id, password_hash, must_change_password FROM users')
      const expected = ((await app.call('GET', '/users')).body as { user_id: string; role: string }[]).map((user) => {
        const found = hashes.find(({ user_id }) => user_id === user.user_id)
        return {
          ...user,
          groups: [],
          effective_roles: [user.role],
          ...(found?.password_hash ? { password_hash: found.password_hash } : {}),
          ...(found?.must_change_password ? { must_change_password: true } : {}),
        }
      })
      assert.deepEqual(await open(file), expected)
      assert.equal(expected.filter((row) => 'password_hash' in row).length, 2)
      assert.ok(!Buffer.from(file).includes('argon2'))
      await assert.rejects(open(file, `${passphrase}.`))

      const inactive = await send(base, { query: '?active=false' })
      assert.deepEqual(
        (await open(new Uint8Array(await inactive.arrayBuffer()))).map(({ username }) => username),
        ['ada'],
      )
    })

    it('brings one-time codes and recovery codes to a store with another encryption secret, where they work', async (t) => {
      const secretIs = (secret: string) => ({ env: { ROLLBOOK_KEY_ENCRYPTION_SECRET: secret } })
      const from = await start(t, engine, secretIs('a'.repeat(32)))
      const to = await start(t, engine, secretIs('b'.repeat(32)))
      const now = Date.now()
      const { username, user_id, phone, browser } = await personWithPhone(from, now)
      const second = await addPhone(browser, now)
      const codes = (await browser.call('POST', '/me/recovery-codes')).body.recovery_codes as string[]
      const passkey = await personWithPasskey(from)
      const plain = await createPerson(from)
      const begun = await openBrowser(from, plain.username)
      assert.equal((await begun.call('POST', '/me/factors/totp', { body: { name: 'never confirmed' } })).status, 201)
      const base = await from.listen()

      const rows = await open(new Uint8Array(await (await send(base)).arrayBuffer()))
      const row = rows.find((one) => one.user_id === user_id)
      assert.deepEqual(row?.factors, [
        { kind: 'totp', name: 'phone', secret: phone.secret },
        { kind: 'totp', name: 'phone', secret: second.secret },
      ])
      assert.equal(new Set(row?.recovery_code_hashes as string[]).size, 10)
      for (const other of [passkey, plain]) {
        const found = rows.find((one) => one.user_id === other.user_id) ?? {}
        assert.ok(!('factors' in found) && !('recovery_code_hashes' in found), JSON.stringify(found))
      }
      assert.ok(!codes.some((code) => JSON.stringify(rows).includes(code)))

      const imported = await to.call('POST', '/users/import', {
        body: rows.map((one) => `${JSON.stringify(one)}\n`).join(''),
        headers: { 'content-type': 'application/x-ndjson' },
      })
      assert.deepEqual([imported.body.created, imported.body.rejected], [3, 0], imported.text)
      for (const proof of [
        { code: codeOf(phone.secret, Date.now()) },
        { code: codeOf(second.secret, Date.now()) },
        { recovery_code: codes[3] },
      ]) {
        const response = await finishSignIn(to, await beginSignIn(to, username), proof)
        assert.equal(response.status, 201, response.text)
        const again = await finishSignIn(to, await beginSignIn(to, username), proof)
        assert.equal(again.body.code, 'second_factor_failed', 'each code works once')
      }
      const there = (await to.call('GET', `/users/${user_id}/factors`)).body
      assert.deepEqual([there.factors.length, there.recovery_codes], [2, 9])
      assert.equal((await signIn(to, plain.username)).status, 201)
      const stored = JSON.stringify(await to.runSql('SELECT secret FROM factors'))
      assert.ok(!stored.includes(phone.secret) && !stored.includes(second.secret))
    })

    it('leaves second factors out where the caller says so, and records which it was', async (t) => {
      const app = await start(t, engine)
      await personWithPhone(app, Date.now())
      const base = await app.listen()
      const response = await send(base, { factors: false })
      const [row] = await open(new Uint8Array(await response.arrayBuffer()))
      assert.ok(row && 'password_hash' in row && !('factors' in row))
      await (await send(base)).arrayBuffer()
      const audit = await app.call('GET', '/audit?action=users.exported')
      assert.deepEqual(
        audit.body.map(({ details }: { details: Record<string, unknown> }) => details.with_second_factors),
        [true, false],
      )
    })

    it('is one snapshot of any size, recorded before its first byte, and one at a time', async (t) => {
      const app = await start(t, engine)
      await fillWithLargeUsers(engine, app.runSql)
      const base = await app.listen()
      const answers = await Promise.all([send(base), send(base)])
      const [first, second] = answers.toSorted((a, b) => a.status - b.status) as [Response, Response]
      assert.deepEqual([first.status, second.status], [200, 503])
      assert.equal(((await second.json()) as { code: string }).code, 'too_many_snapshots')
      const { body } = await app.call('GET', '/audit?action=users.exported')
      assert.deepEqual(
        body.map((record: { details: unknown }) => record.details),
        [{ users: 5000, with_password_hashes: true, with_second_factors: true }],
      )
      await createUser(app, { username: 'too-late' })
      const rows = await open(new Uint8Array(await first.arrayBuffer()))
      assert.equal(rows.length, 5000)
      const third = await send(base)
      assert.equal(third.status, 200, 'the place is free again')
      await third.body?.cancel()
    })

    it('is cut, so that it cannot be opened to its end, when the right to it ends', async (t) => {
      const app = await start(t, engine)
      await fillWithLargeUsers(engine, app.runSql)
      const base = await app.listen()
      const { key_id, key } = await keyWith(app, 'users:export_hashes')
      const response = await send(base, { key })
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      await reader.read()
      assert.equal((await app.call('DELETE', `/keys/${key_id}`)).status, 200)
      await assert.rejects(async () => {
        while (!(await reader.read()).done);
      })
    })
  })
}

const engine = anyEngine

describe('the right to export password hashes', () => {
  it('is a separate permission, which those to read and to change users do not include', async (t) => {
    const app = await start(t, engine)
    const { key } = await keyWith(app, 'users:read', 'users:write')
    const refused = await app.call('POST', '/users/export', { key, body: { passphrase } })
    assert.deepEqual([refused.status, refused.body.code], [403, 'permission_denied'])
    const exporter = await keyWith(app, 'users:export_hashes')
    const planned = await app.call('POST', '/users/export?dry_run=true', { key: exporter.key, body: { passphrase } })
    assert.deepEqual([planned.status, planned.body, planned.headers['dry-run']], [200, { users: 0 }, 'true'])
    assert.deepEqual((await app.call('GET', '/audit?action=users.exported')).body, [], 'a dry run exports nothing')
  })

  it('opens nothing to a passphrase that is soon guessed', async (t) => {
    const app = await start(t, engine)
    const refused = await app.call('POST', '/users/export', { body: { passphrase: 'x'.repeat(15) } })
    assert.deepEqual([refused.status, refused.body.errors[0].pointer], [422, '#/passphrase'])
  })
})
