/** The follower of the documentation, as a process of its own. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { adminKey, createUser, engines, type Started, start } from '../harness.ts'
import { waitUntil } from '../nodes/nodes.ts'
import { createPerson, openBrowser } from '../people.ts'
import { makeKey } from '../tokens/parts.ts'
import { readDirectory } from './directory.ts'

const root = join(import.meta.dirname, '../..')
const example = readFileSync(join(root, 'examples/follow-changes.ts'), 'utf8')

function startFollower(t: TestContext, base: string, file: string) {
  const child = spawn(process.execPath, [join(root, 'examples/follow-changes.ts')], {
    env: { PATH: process.env.PATH, ROLLBOOK_URL: base, ROLLBOOK_KEY: adminKey, COPY: file },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const kill = async () => {
    if (child.kill('SIGKILL')) await once(child, 'exit')
  }
  t.after(kill)
  return { kill, errors: () => errors }
}

/** The copy comes to be what the service itself says. */
async function becomesEqual(app: Started, file: string): Promise<void> {
  const expected = await readDirectory(app)
  const isEqual = async () =>
    existsSync(file) && isDeepStrictEqual(JSON.parse(readFileSync(file, 'utf8')).things, expected)
  await waitUntil('the copy is equal', 8000, isEqual).catch(() => {
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')).things, expected)
  })
}

describe('the follower in the documentation', () => {
  it('is the published example, and no longer than claimed', () => {
    const document = readFileSync(join(root, 'docs/follow-changes.md'), 'utf8')
    assert.ok(document.includes('](../examples/follow-changes.ts)'))
    assert.ok(example.split('\n').filter((line) => line !== '').length <= 30)
  })

  for (const engine of engines) {
    it(`keeps a copy, continues after it was killed, and starts over when it must: ${engine.name}`, async (t) => {
      const app = await start(t, engine)
      const base = await app.listen()
      const file = join(app.directory, 'copy.json')
      const request = {
        actor: { kind: 'system', id: 'x', name: '', permissions: [] },
        now: Date.now(),
        requestId: 'test',
      } as const
      await app.storage.change('roles.announce', undefined, request)
      const goes = await createUser(app)
      const first = startFollower(t, base, file)
      await becomesEqual(app, file)

      const person = await createPerson(app)
      await openBrowser(app, person.username)
      await makeKey(app, ['users:read'])
      await becomesEqual(app, file)
      await first.kill()

      await app.call('DELETE', `/users/${goes.user_id}`)
      await app.call('DELETE', `/users/${person.user_id}/sessions`)
      const { place } = JSON.parse(readFileSync(file, 'utf8'))
      const second = startFollower(t, base, file)
      await becomesEqual(app, file)
      assert.ok(Number(JSON.parse(readFileSync(file, 'utf8')).place.after) > Number(place.after))
      assert.equal(second.errors(), '') // It received only what it had missed.

      // As after a restore, for which the service stops: another history, with a user that never existed in this one.
      await second.kill()
      await app.storage.settleJournal()
      await app.runSql("UPDATE journal_state SET value = '019a9f3e-0000-4000-8000-000000000000' WHERE name = 'feed_id'")
      await app.runSql(
        `DELETE FROM events WHERE owner_id = '${person.user_id}'; DELETE FROM users WHERE user_id = '${person.user_id}'`,
      )
      await createUser(app)
      const third = startFollower(t, base, file)
      await becomesEqual(app, file)
      assert.match(third.errors(), /cursor_unknown/)
    })
  }
})
