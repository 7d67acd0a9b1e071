import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createPerson, openBrowser } from '../people.ts'
import { skip, twoNodes, waitUntil } from './nodes.ts'

describe('roles of several nodes', { skip }, () => {
  it('reach a node whose connections for reads are all open, which many reads at once had needed', async (t) => {
    const [one, two] = await twoNodes(t)
    const { user_id } = await createPerson(one)
    const read = async () => (await two.call('GET', `/users/${user_id}`)).status
    const statuses = await Promise.all(Array.from({ length: 60 }, read))
    assert.ok(statuses.every((status) => status === 200))
    assert.equal((await one.call('POST', '/roles', { body: { role: 'reader', permissions: [] } })).status, 201)
    await waitUntil('the other node knows the role', 1000, async () => {
      return (await two.call('GET', '/roles/reader')).status === 200
    })
    assert.equal((await two.call('PATCH', `/users/${user_id}`, { body: { role: 'reader' } })).status, 200)
  })

  it('reach another node within a second, and never leave it without an administrator', async (t) => {
    const [one, two] = await twoNodes(t)
    assert.equal((await one.call('POST', '/roles', { body: { role: 'root', permissions: ['*'] } })).status, 201)
    await waitUntil(
      'the other node knows the role',
      1000,
      async () => (await two.call('GET', '/roles/root')).status === 200,
    )
    const [ada, bea] = [await createPerson(one, { role: 'root' }), await createPerson(one, { role: 'admin' })]
    const browser = await openBrowser(two, ada.username)
    assert.equal((await browser.call('GET', '/users')).status, 200)
    await one.call('PATCH', '/roles/root', { body: { permissions: ['users:read', 'groups:read'] } })
    const ms = await waitUntil('the session has the new permissions', 1000, async () => {
      return (await browser.call('GET', '/me')).body.permissions.length === 2
    })
    t.diagnostic(`known on the other node after ${Math.round(ms)} ms`)
    for (let round = 0; round < 5; round++) {
      // Each alone is allowed, both are not; the nodes decide at once, one of them by what it knew before.
      await one.call('PATCH', '/roles/root', { body: { permissions: ['*'] } })
      const [role, user] = await Promise.all([
        one.call('PATCH', '/roles/root', { body: { permissions: [] } }),
        two.call('PATCH', `/users/${bea.user_id}`, { body: { role: 'user' } }),
      ])
      assert.deepEqual([role.status, user.status].sort(), [200, 409], `${role.text} ${user.text}`)
      if (user.status === 200)
        assert.equal((await two.call('PATCH', `/users/${bea.user_id}`, { body: { role: 'admin' } })).status, 200)
    }
  })
})
