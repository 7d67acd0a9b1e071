// Takes long: test:quick leaves it out.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Decrypter } from 'age-encryption'
import { adminKey, createUser, engines, type Started, start } from '../../../test/harness.ts'
import { createPerson } from '../../../test/people.ts'
import { fillWithLargeUsers } from '../../../test/reading.ts'

const passphrase = 'opened by few people only'

function ask(base: string, { query = '', key = adminKey, secret = passphrase } = {}): Promise<Response> {
  return fetch(`${base}/users/export${query}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ passphrase: secret }),
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

      const answer = await ask(base)
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('total-count'), '3')
      const file = new Uint8Array(await answer.arrayBuffer())
      const hashes = await app.runSql('SELECT user_id, password_hash, must_change_password FROM users')
      const expected = ((await app.call('GET', '/users')).body as { user_id: string }[]).map((user) => {
        const found = hashes.find(({ user_id }) => user_id === user.user_id)
        return {
          ...user,
          groups: [],
          ...(found?.password_hash ? { password_hash: found.password_hash } : {}),
          ...(found?.must_change_password ? { must_change_password: true } : {}),
        }
      })
      assert.deepEqual(await open(file), expected)
      assert.equal(expected.filter((row) => 'password_hash' in row).length, 2)
      assert.ok(!Buffer.from(file).includes('argon2'))
      await assert.rejects(open(file, `${passphrase}.`))

      const inactive = await ask(base, { query: '?active=false' })
      assert.deepEqual(
        (await open(new Uint8Array(await inactive.arrayBuffer()))).map(({ username }) => username),
        ['ada'],
      )
    })

    it('is one snapshot of any size, recorded before its first byte, and one at a time', async (t) => {
      const app = await start(t, engine)
      await fillWithLargeUsers(engine, app.runSql)
      const base = await app.listen()
      const answers = await Promise.all([ask(base), ask(base)])
      const [first, second] = answers.toSorted((a, b) => a.status - b.status) as [Response, Response]
      assert.deepEqual([first.status, second.status], [200, 503])
      assert.equal(((await second.json()) as { code: string }).code, 'too_many_snapshots')
      const { body } = await app.call('GET', '/audit?action=users.exported')
      assert.deepEqual(
        body.map((record: { details: unknown }) => record.details),
        [{ users: 5000, with_password_hashes: true }],
      )
      await createUser(app, { username: 'too-late' })
      const rows = await open(new Uint8Array(await first.arrayBuffer()))
      assert.equal(rows.length, 5000)
      const third = await ask(base)
      assert.equal(third.status, 200, 'the place is free again')
      await third.body?.cancel()
    })

    it('is cut, so that it cannot be opened to its end, when the right to it ends', async (t) => {
      const app = await start(t, engine)
      await fillWithLargeUsers(engine, app.runSql)
      const base = await app.listen()
      const { key_id, key } = await keyWith(app, 'users:export_hashes')
      const answer = await ask(base, { key })
      const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
      await reader.read()
      assert.equal((await app.call('DELETE', `/keys/${key_id}`)).status, 200)
      await assert.rejects(async () => {
        while (!(await reader.read()).done);
      })
    })
  })
}

const [engine] = engines

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
