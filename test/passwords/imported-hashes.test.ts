import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { system } from '../../src/core/actor.ts'
import { engines, type Started, start } from '../harness.ts'
import { env, visitor } from '../sign-in/visitor.ts'
import { vectors } from './vectors.ts'

const ours = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/
const bcrypt = vectors.find(({ by }) => by === 'pyca, $2b$') ?? assert.fail()

async function bring(app: Started, rows: readonly Record<string, unknown>[]) {
  const body = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  const response = await app.call('POST', '/users/import', {
    body,
    headers: { 'content-type': 'application/x-ndjson' },
  })
  assert.equal(response.status, 200, response.text)
  return response.body as { created: number; rejected: number; rejects: { code: string; detail: string }[] }
}

async function storedHash(app: Started, username: string): Promise<unknown> {
  const rows = await app.runSql(`SELECT password_hash FROM users WHERE username = '${username}'`)
  return rows[0]?.password_hash
}

for (const engine of engines) {
  describe(`a user imported with a hash on ${engine.name}`, () => {
    it('signs in with their password and no other, whatever made the hash, which is then replaced by our own', async (t) => {
      const app = await start(t, engine, { env, realHashes: true })
      const people = vectors.map((vector, n) => ({ ...vector, username: `person-${n}` }))
      const { created, rejects } = await bring(
        app,
        people.map(({ username, hash }) => ({ username, password_hash: hash })),
      )
      assert.deepEqual([created, rejects], [people.length, []])
      const comeIn = async ({ by, username, password, stored }: (typeof people)[number]) => {
        const someone = visitor()
        const wrong = await someone.signIn(app, username, `${password}?`)
        assert.deepEqual([wrong.status, wrong.body.code], [401, 'sign_in_failed'], by)
        assert.ok(String(await storedHash(app, username)).startsWith(stored), by)
        assert.equal((await someone.signIn(app, username, password)).status, 201, by)
        assert.match(String(await storedHash(app, username)), ours, by)
      }
      await Promise.all(people.map(comeIn))
      const [first] = people
      assert.ok(first)
      assert.equal((await visitor().signIn(app, first.username, `${first.password}?`)).status, 401)
      assert.equal((await visitor().signIn(app, first.username, first.password)).status, 201)
    })

    it('can sign in twice at the same moment, even though the first replaces the hash', async (t) => {
      const app = await start(t, engine, { env, realHashes: true })
      await bring(app, [{ username: 'ada', password_hash: bcrypt.hash }])
      const answers = await Promise.all([1, 2, 3].map(() => visitor().signIn(app, 'ada', bcrypt.password)))
      assert.deepEqual(
        answers.map(({ status }) => status),
        [201, 201, 201],
      )
      assert.match(String(await storedHash(app, 'ada')), ours)
    })

    it('does not get in with it when another password is set at the same moment', async (t) => {
      const app = await start(t, engine, { env, realHashes: true })
      await bring(app, [{ username: 'ada', password_hash: bcrypt.hash }])
      const [ada] = await app.runSql("SELECT user_id, credentials_version FROM users WHERE username = 'ada'")
      assert.ok(ada)
      const verified = { ...ada, credentials_version: Number(ada.credentials_version), verified_hash: bcrypt.hash }
      const startSession = (token_hash: string) => {
        const input = { ...verified, token_hash, amr: ['pwd'], address: '192.0.2.1', user_agent: 'x' }
        return app.storage.change('sessions.begin', input as never, { actor: system, now: Date.now(), requestId: 'x' })
      }
      await startSession('before')
      const { status } = await app.call('PATCH', `/users/${ada.user_id}`, { body: { password: 'a long walk at sea' } })
      assert.equal(status, 200)
      await assert.rejects(startSession('after'), { code: 'sign_in_failed' })
    })

    it('can confirm a password change with the imported password', async (t) => {
      const app = await start(t, engine, { env, realHashes: true })
      await bring(app, [{ username: 'ada', password_hash: bcrypt.hash }])
      const ada = visitor()
      assert.equal((await ada.signIn(app, 'ada', bcrypt.password)).status, 201)
      // As after a sign-in while the queue was too full for another hash.
      await app.runSql(`UPDATE users SET password_hash = '${bcrypt.hash}' WHERE username = 'ada'`)
      const new_password = 'nanoseconds on a string'
      const change = (current_password: string) =>
        ada.call(app, 'POST', '/me/password', { current_password, new_password })
      assert.equal((await change('not this one at all')).body.code, 'current_password_wrong')
      assert.equal((await change(bcrypt.password)).status, 200)
      assert.match(String(await storedHash(app, 'ada')), ours)
      assert.equal((await visitor().signIn(app, 'ada', new_password)).status, 201)
      assert.equal((await visitor().signIn(app, 'ada', bcrypt.password)).status, 401)
    })

    it('is rejected with the reason when the hash cannot be carried over', async (t) => {
      const app = await start(t, engine, { env, realHashes: true })
      const md5 = '098f6bcd4621d373cade4e832627b4f6'
      const { created, rejects } = await bring(app, [
        { username: 'ada', password_hash: md5 },
        { username: 'bob', password_hash: '$argon2id$v=19$m=4194304,t=3,p=1$c2FsdHNhbHRzYWx0$Y2NjY2NjY2NjY2NjY2NjY2M' },
        { username: 'cleo', password_hash: bcrypt.hash },
      ])
      assert.equal(created, 1)
      const [ada, bob] = rejects.map(({ detail }) => detail)
      assert.match(ada ?? '', /MD5 without a salt/)
      assert.match(bob ?? '', /256 MiB/)
      assert.ok(!JSON.stringify(rejects).includes(md5))
      assert.deepEqual(
        await app
          .runSql('SELECT username FROM users ORDER BY username')
          .then((rows) => rows.map((row) => row.username)),
        ['cleo'],
      )
    })
  })
}
