import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { makeDirectory, startService } from '../durability/process.ts'
import { createUser, engines, type Started, start } from '../harness.ts'

type Person = { id: string; name: string; email: string; leaving?: true }
type User = Record<'user_id' | 'username' | 'first_name', string> & { external_id: string | null; active: boolean }

describe('the first fifteen minutes', () => {
  const skip = spawnSync('curl', ['--version']).status !== 0 && 'there is no curl'

  it('the line that the service shows creates a user when it is pasted', { skip }, async (t) => {
    const directory = makeDirectory(t)
    const service = await startService(t, { directory, env: { ROLLBOOK_ADMIN_KEY: '' } })
    const line = /^ {2}(curl .+)$/m.exec(service.errors())?.[1] as string
    const { stdout } = await promisify(execFile)('sh', ['-c', `${line} -sS`])
    const { username, role, active } = JSON.parse(stdout)
    assert.deepEqual({ username, role, active }, { username: 'ada', role: 'user', active: true })
    const again = await promisify(execFile)('sh', ['-c', `${line} -sS`])
    assert.equal(JSON.parse(again.stdout).code, 'username_taken')
  })
})

/** What a script does that keeps the users in step with the people of a directory; safe to be run at any time. */
async function bringIntoStep(app: Started, people: Person[], key: string): Promise<void> {
  for (const person of people) {
    const found = await app.call('GET', `/users?external_id=${person.id}`, { key })
    const [user] = found.body as [User?]
    if (user === undefined) {
      if (person.leaving) continue
      const body = { username: person.email, email: person.email, first_name: person.name, external_id: person.id }
      const request = { key, body, headers: { 'idempotency-key': `${person.id}-arrival` } }
      assert.equal((await app.call('POST', '/users', request)).status, 201)
      continue
    }
    const { headers } = await app.call('GET', `/users/${user.user_id}`, { key })
    const body = { username: person.email, email: person.email, first_name: person.name, active: !person.leaving }
    const request = { key, body, headers: { 'if-match': headers.etag as string } }
    assert.equal((await app.call('PATCH', `/users/${user.user_id}`, request)).status, 200)
  }
}

for (const engine of engines) {
  describe(`everyday work with users on ${engine.name}`, () => {
    it('a script synchronizes them with a directory, and changes nothing if nothing has changed', async (t) => {
      const app = await start(t, engine)
      const admin = await createUser(app, { username: 'root', role: 'admin' })
      const permissions = ['users:read', 'users:write']
      const { key } = (await app.call('POST', '/keys', { body: { name: 'directory sync', permissions } })).body
      const people: Person[] = Array.from({ length: 30 }, (_, i) => ({
        id: `hr-${i}`,
        name: `Person ${i}`,
        email: `person.${i}@example.org`,
      }))
      await bringIntoStep(app, people, key)
      const etag = (await app.call('GET', '/users', { key })).headers.etag as string
      await bringIntoStep(app, people, key)
      assert.equal((await app.call('GET', '/users', { key, headers: { 'if-none-match': etag } })).status, 304)

      const [first, second, third] = people as [Person, Person, Person]
      first.leaving = true
      // They swap their addresses by way of a third one, as a directory would tell it.
      ;[second.email, third.email] = ['person.x@example.org', second.email]
      second.name = 'Zoë'
      await bringIntoStep(app, people, key)
      second.email = 'person.2@example.org'
      await bringIntoStep(app, people, key)

      const users: User[] = []
      for (let path: string | undefined = '/users?limit=7'; path !== undefined; ) {
        const page = await app.call('GET', path, { key })
        users.push(...page.body)
        path = /^<\/auth([^>]+)>; rel="next"$/.exec(page.headers.link ?? '')?.[1]
      }
      assert.equal(users.length, 31)
      const listedUsers = users.slice(1, 4).map(({ username, first_name, active }) => [username, first_name, active])
      assert.deepEqual(listedUsers, [
        ['person.0@example.org', 'Person 0', false],
        ['person.2@example.org', 'Zoë', true],
        ['person.1@example.org', 'Person 2', true],
      ])
      const inactive = await app.call('GET', '/users?active=false&count=true&limit=1', { key })
      assert.equal(inactive.headers['total-count'], '1')
      // What the script may not do: change users with more permissions.
      const refused = await app.call('DELETE', `/users/${admin.user_id}`, { key })
      assert.equal(refused.body.code, 'user_outranks_caller')
    })

    it('a key is created for a program, rotated without a gap, and revoked', async (t) => {
      const app = await start(t, engine)
      const body = { name: 'console of the product', permissions: ['users:read', 'keys:write'] }
      const first = (await app.call('POST', '/keys', { body })).body
      const reads = async (key: string) => (await app.call('GET', '/users', { key })).status
      assert.equal(await reads(first.key), 200)
      // The program rotates its own key, uses both while its parts pick up the new one, and is ended by the operator.
      const second = (await app.call('POST', `/keys/${first.key_id}/rotate`, { key: first.key })).body
      assert.deepEqual([await reads(first.key), await reads(second.key)], [200, 200])
      assert.equal((await app.call('DELETE', `/keys/${first.key_id}`)).status, 200)
      assert.deepEqual([await reads(first.key), await reads(second.key)], [401, 401])
    })
  })
}
