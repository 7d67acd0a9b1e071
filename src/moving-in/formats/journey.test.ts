// Takes long for its size, and belongs to test:rest: it replays whole migrations.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { beginSignIn, codeOf, finishSignIn } from '../../../test/factors.ts'
import { anyEngine, start } from '../../../test/harness.ts'
import { golden, goldenFiles, goldenOptions } from '../../../test/moving-in/files.ts'
import { signIn } from '../../../test/people.ts'
import { type ImportRow, inputFrom, sources } from './index.ts'

const engine = anyEngine

describe('a migrated user', () => {
  for (const file of goldenFiles) {
    it(`exists as in the source, and signs in with the old password: ${file.source}/${file.input}`, async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_ROLES: '{"editor": ["users:read"]}' } })
      const rows: ImportRow[] = []
      for await (const converted of sources[file.source].read(
        inputFrom(golden(file.source, file.input)),
        goldenOptions(file),
      )) {
        if ('row' in converted) rows.push(converted.row)
      }
      const send = () =>
        app.call('POST', '/users/import', {
          body: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
          headers: { 'content-type': 'application/x-ndjson' },
        })
      const { body: job } = await send()
      assert.deepEqual([job.state, job.created, job.rejects], ['done', rows.length, []])

      const { body: users } = await app.call('GET', '/users')
      for (const { password_hash: hash, password, must_change_password: _, factors: __, ...members } of rows) {
        const user = users.find((each: ImportRow) => each.username === members.username)
        assert.deepEqual({ ...user, ...members }, user)
        assert.deepEqual([user.role, user.has_password], [members.role ?? 'user', (hash ?? password) !== undefined])
      }
      const passwords = Object.entries(file.passwords)
      for (const [username, password] of passwords.slice(0, 1)) {
        assert.equal((await signIn(app, username, `${password}!`)).status, 401, username)
      }
      for (const [username, password] of passwords) {
        const [phone] = rows.find((row) => row.username === username)?.factors ?? []
        if (phone === undefined) assert.equal((await signIn(app, username, password)).status, 201, username)
        else {
          const challenge = await beginSignIn(app, username, password)
          const code = codeOf(phone.secret, Date.now())
          assert.equal((await finishSignIn(app, challenge, { code })).status, 201, username)
        }
      }
      for (const { username } of rows.filter(({ active }) => active === false)) {
        const secret = file.inactivePasswords?.[username]
        if (secret !== undefined) assert.notEqual((await signIn(app, username, secret)).status, 201, username)
      }
    })
  }
})
