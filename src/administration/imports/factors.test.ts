import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { beginSignIn, codeOf, finishSignIn } from '../../../test/factors.ts'
import { engines, type Started, start } from '../../../test/harness.ts'
import { createPerson, password, signIn } from '../../../test/people.ts'

type Row = Record<string, unknown>

/** RFC 6238, appendix B. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const env = { ROLLBOOK_KEY_ENCRYPTION_SECRET: 'seals-the-codes-that-an-import-brings' }

async function bring(app: Started, rows: readonly Row[], query = '') {
  const body = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  const response = await app.call('POST', `/users/import${query}`, {
    body,
    headers: { 'content-type': 'application/x-ndjson' },
  })
  assert.equal(response.status, 200, response.text)
  return response.body
}

async function factorsOf(app: Started, username: string) {
  const [user] = (await app.call('GET', `/users?username=${username}`)).body
  return (await app.call('GET', `/users/${user.user_id}/factors`)).body
}

for (const engine of engines) {
  describe(`factors in an import on ${engine.name}`, () => {
    it('sign in with the app that the user has already', async (t) => {
      const app = await start(t, engine, { env })
      const spaced = 'gezd gnbv gy3t qojq gezd gnbv gy3t qojq'
      const job = await bring(app, [
        {
          username: 'ada',
          password,
          factors: [{ kind: 'totp', secret: spaced, name: 'Phone', algorithm: 'HmacSHA1' }],
        },
        { username: 'grace', password, totp_secret: secret },
        { username: 'alan', password, totp_secret: null },
      ])
      assert.deepEqual([job.created, job.rejected], [3, 0], JSON.stringify(job))
      for (const name of ['ada', 'grace']) {
        const challenge = await beginSignIn(app, name)
        const code = codeOf(secret, Date.now())
        assert.equal((await finishSignIn(app, challenge, { code })).status, 201)
        const again = await beginSignIn(app, name)
        assert.equal((await finishSignIn(app, again, { code })).status, 401, 'each code works once')
      }
      assert.equal((await factorsOf(app, 'ada')).factors[0].name, 'Phone')
      assert.equal((await signIn(app, 'alan')).status, 201)
    })

    it('are in no answer, record, event or verdict, and encrypted in the store', async (t) => {
      const app = await start(t, engine, { env })
      await bring(app, [
        { username: 'ada', password, totp_secret: secret },
        { username: 'grace', totp_secret: secret, role: 'nonsense' },
      ])
      const jobs = (await app.call('GET', '/imports')).body
      for (const path of [
        '/imports',
        `/imports/${jobs[0].job_id}/rows`,
        '/audit?limit=100',
        '/events?limit=100',
        '/users',
      ]) {
        const { text, status } = await app.call('GET', path)
        assert.equal(status, 200, path)
        assert.ok(!text.includes(secret) && !text.includes(secret.slice(0, 16)), path)
      }
      assert.ok(!app.logLines().some((line) => line.includes(secret)))
      const audit = (await app.call('GET', '/audit?action=factor.added')).body
      assert.equal(audit.length, 1)
      assert.equal(audit[0].details.import_id, jobs[0].job_id)
      const rows = await app.runSql('SELECT secret, sealed FROM factors')
      assert.equal(rows.length, 1)
      assert.equal(Number(rows[0]?.sealed), 1)
      assert.ok(!String(rows[0]?.secret).includes(secret))
    })

    it('are rejected with the reason if an app would show other codes', async (t) => {
      const app = await start(t, engine, { env })
      const user_id = randomUUID()
      const hashes = ['x'.repeat(43)]
      const factor = (members: Row) => ({
        username: `u${Math.random()}`,
        factors: [{ kind: 'totp', secret, ...members }],
      })
      const cases: [Row, string, string][] = [
        [factor({ algorithm: 'SHA256' }), '#/factors/0', 'factor_not_supported'],
        [factor({ digits: 8 }), '#/factors/0', 'factor_not_supported'],
        [factor({ period: 60 }), '#/factors/0', 'factor_not_supported'],
        [factor({ kind: 'passkey' }), '#/factors/0', 'factor_not_supported'],
        [factor({ secret: 'GEZDGNBV' }), '#/factors/0', 'factor_not_supported'],
        [factor({ secret: 'not base32 at all!' }), '#/factors/0', 'factor_not_supported'],
        [{ username: 'a', totp_secret: '1'.repeat(32) }, '#/totp_secret', 'factor_not_supported'],
        [{ ...factor({}), totp_secret: secret }, '#/totp_secret', 'not_together'],
        [{ username: 'b', user_id, recovery_code_hashes: hashes }, '#/recovery_code_hashes', 'not_alone'],
        [{ ...factor({}), recovery_code_hashes: hashes }, '#/recovery_code_hashes', 'not_alone'],
      ]
      const job = await bring(
        app,
        cases.map(([row]) => row),
      )
      assert.deepEqual(
        job.rejects.map(({ pointer, code }: Row) => [pointer, code]),
        cases.map(([, pointer, code]) => [pointer, code]),
      )
      assert.ok(!JSON.stringify(job).includes(secret))
      assert.deepEqual((await app.call('GET', '/users')).body, [])
    })

    it('are added to a user without one, and never replace one', async (t) => {
      const app = await start(t, engine, { env })
      const { username } = await createPerson(app)
      const session = await signIn(app, username)
      assert.equal(session.status, 201)
      const row = { username, totp_secret: secret }
      const dry = await bring(app, [row, row], '?mode=update&dry_run=true')
      assert.deepEqual([dry.updated, dry.unchanged], [1, 1])
      assert.equal((await factorsOf(app, username)).factors.length, 0, 'a dry run changes nothing')
      const done = await bring(app, [row, row], '?mode=update')
      assert.deepEqual([done.updated, done.unchanged], [1, 1])
      const other = await bring(app, [{ username, totp_secret: 'A'.repeat(32) }], '?mode=update')
      assert.equal(other.unchanged, 1)
      assert.equal((await factorsOf(app, username)).factors.length, 1)
      const challenge = await beginSignIn(app, username)
      const response = await finishSignIn(app, challenge, { code: codeOf(secret, Date.now()) })
      assert.equal(response.status, 201, response.text)
    })

    it('come from CSV in the column totp_secret', async (t) => {
      const app = await start(t, engine, { env })
      const body = `username,password,totp_secret\r\nada,${password},${secret}\r\nalan,${password},\r\n`
      const response = await app.call('POST', '/users/import', { body, headers: { 'content-type': 'text/csv' } })
      assert.equal(response.body.created, 2, response.text)
      assert.equal((await factorsOf(app, 'ada')).factors.length, 1)
      assert.equal((await factorsOf(app, 'alan')).factors.length, 0)
    })
  })
}
