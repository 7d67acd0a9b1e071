import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { createOrganization } from '../organizations.ts'
import { skip, twoNodes } from './nodes.ts'

describe('domains of organizations on several nodes', { skip }, () => {
  it('no longer lead to the connection that the organization set up, on any node, once they are removed', async (t) => {
    const [one, two] = await twoNodes(t, { ROLLBOOK_ACCESS_REQUESTS: 'on' })
    const acme = await createOrganization(one, { name: 'Acme' })
    const domains = `/organizations/${acme}/domains`
    const stated = await one.call('POST', domains, { body: { domain: 'acme.example', verified: true } })
    assert.equal(stated.status, 201, stated.text)
    const permissions = ['connections:read@organization', 'connections:write@organization']
    const issued = await one.call('POST', '/keys', { body: { name: 'limited', organization_id: acme, permissions } })
    const { key } = issued.body
    const oidc = { kind: 'oidc', issuer: 'https://id.acme.example', client_id: 'rollbook', client_secret: 'secret' }
    const routed = { domains: ['acme.example'], provisioning_domains: ['acme.example'] }
    const created = await one.call('POST', '/connections', { key, body: { name: 'Acme SSO', ...oidc, ...routed } })
    assert.equal(created.status, 201, created.text)
    const id = randomUUID()
    await one.runSql(`INSERT INTO access_requests (request_id, state, email, email_key, created_at, expires_at, delete_at)
      VALUES ('${id}', 'waiting', 'ada@acme.example', 'ada@acme.example', '2026-11-30T00:00:00.000Z', '9999-01-01', '9999-01-01')`)
    const companyOn = async (node: typeof one) => (await node.call('GET', `/access-requests/${id}`)).body.company
    assert.deepEqual([await companyOn(one), await companyOn(two)], ['Acme SSO', 'Acme SSO'])
    assert.equal((await two.call('DELETE', `${domains}/acme.example`, { key })).status, 200)
    assert.deepEqual([await companyOn(one), await companyOn(two)], [null, null])
    const path = `/connections/${created.body.connection_id}`
    const { body } = await one.call('GET', path, { key })
    assert.deepEqual([body.domains, body.provisioning_domains], [[], []])
    const again = await one.call('PATCH', path, { key, body: routed })
    assert.equal(again.status, 422, again.text)
  })
})
