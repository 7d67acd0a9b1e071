/** What callers who are limited to an organization see and change of it, and that no other one exists for them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines, type Started, start } from '../harness.ts'
import { startPublisher } from '../name-server.ts'
import { createOrganization } from '../organizations.ts'

async function keyOf(app: Started, organization_id: string, permissions: string[]) {
  const { status, body, text } = await app.call('POST', '/keys', {
    body: { name: 'limited', organization_id, permissions },
  })
  assert.equal(status, 201, text)
  return body.key as string
}

const unknown = '019a9f3e-0000-7000-8000-000000000000'

for (const engine of engines) {
  describe(`the own organization of a limited caller on ${engine.name}`, () => {
    it('is the only one there is, in lists, searches and by id', async (t) => {
      const app = await start(t, engine)
      const [acme, globex] = [
        await createOrganization(app, { name: 'Acme' }),
        await createOrganization(app, { name: 'Globex' }),
      ]
      for (const permissions of [['users:read@organization'], ['audit:read@organization']]) {
        const key = await keyOf(app, acme, permissions)
        const listed = async (query = '') => {
          const { status, body, headers } = await app.call('GET', `/organizations${query}`, { key })
          assert.equal(status, 200)
          assert.equal(headers.link, undefined)
          return body.map(({ name }: { name: string }) => name)
        }
        assert.deepEqual(await listed(), ['Acme'])
        assert.deepEqual(await listed('?sort=-created_at&limit=1'), ['Acme'])
        assert.deepEqual(await listed('?q=globex'), [])
        assert.deepEqual(await listed('?q=acme'), ['Acme'])
        assert.deepEqual(await listed('?name=Globex'), [])
        assert.equal((await app.call('GET', `/organizations/${acme}`, { key })).body.name, 'Acme')
        const [other, missing] = [globex, unknown].map((id) => app.call('GET', `/organizations/${id}`, { key }))
        const without = ({ status, body: { instance: _, ...body } }: Awaited<ReturnType<typeof app.call>>) => [
          status,
          body,
        ]
        assert.ok(other && missing)
        assert.deepEqual(without(await other), without(await missing))
        assert.equal((await other).status, 404)
      }
      const before = (await app.call('GET', '/organizations?limit=1')).headers.link as string
      const cursor = new URL(/<(.*)>/.exec(before)?.[1] ?? '', 'http://localhost').searchParams.get('cursor')
      const ofGlobex = await keyOf(app, acme, ['users:read@organization'])
      const page = await app.call('GET', `/organizations?limit=1&cursor=${encodeURIComponent(cursor ?? '')}`, {
        key: ofGlobex,
      })
      assert.deepEqual([page.status, page.body], [200, []])
    })

    it('can be renamed by who may change its users, and changed in nothing else', async (t) => {
      const app = await start(t, engine)
      const [acme, globex] = [
        await createOrganization(app, { name: 'Acme' }),
        await createOrganization(app, { name: 'Globex' }),
      ]
      const key = await keyOf(app, acme, ['users:write@organization'])
      const patch = (id: string, body: object, of = key) => app.call('PATCH', `/organizations/${id}`, { key: of, body })
      const renamed = await patch(acme, { name: 'Acme & Sons' })
      assert.deepEqual([renamed.status, renamed.body.name], [200, 'Acme & Sons'], renamed.text)
      for (const body of [
        { external_id: 'x' },
        { active: false },
        { second_factor: 'required' },
        { name: 'Acme', second_factor: null },
      ]) {
        const refused = await patch(acme, body)
        assert.deepEqual([refused.status, refused.body.code], [403, 'permission_denied'], JSON.stringify(body))
      }
      assert.equal((await patch(globex, { name: 'Taken over' })).status, 404)
      assert.equal((await patch(globex, { active: false })).status, 404)
      const reader = await keyOf(app, acme, ['users:read@organization'])
      assert.equal((await patch(acme, { name: 'Other' }, reader)).status, 403)
      for (const [method, path, body] of [
        ['POST', '/organizations', { name: 'Another' }],
        ['DELETE', `/organizations/${acme}`, undefined],
      ] as const) {
        assert.equal((await app.call(method, path, { key, ...(body && { body }) })).status, 403)
      }
      const organizations = (await app.call('GET', '/organizations')).body
      assert.deepEqual(
        organizations.map(({ name, external_id, active, second_factor }: Record<string, unknown>) => [
          name,
          external_id,
          active,
          second_factor,
        ]),
        [
          ['Acme & Sons', null, true, null],
          ['Globex', null, true, null],
        ],
      )
    })

    it('proves its own domains by their records, without vouching, and those of no other organization', async (t) => {
      const names = await startPublisher(t)
      const app = await start(t, engine, { env: names.env })
      const [acme, globex] = [
        await createOrganization(app, { name: 'Acme' }),
        await createOrganization(app, { name: 'Globex' }),
      ]
      const key = await keyOf(app, acme, ['connections:write@organization'])
      const domains = (id: string) => `/organizations/${id}/domains`
      const add = (id: string, body: object) => app.call('POST', domains(id), { key, body })
      const vouched = await add(acme, { domain: 'acme.example', verified: true })
      assert.deepEqual([vouched.status, vouched.body.code], [403, 'permission_denied'])
      const added = await add(acme, { domain: 'acme.example' })
      assert.equal(added.status, 201, added.text)
      assert.equal((await add(acme, { domain: 'acme.example', verified: true })).status, 403)
      names.publish('_rollbook.acme.example', added.body.record_value)
      const verify = await app.call('POST', `${domains(acme)}/acme.example/verify`, { key })
      assert.equal(verify.status, 200, verify.text)
      assert.notEqual(verify.body.verified_at, null)

      const theirs = (await app.call('POST', domains(globex), { body: { domain: 'globex.example' } })).body
      names.publish('_rollbook.globex.example', theirs.record_value)
      assert.equal((await add(globex, { domain: 'other.example' })).body.code, 'organization_not_found')
      for (const id of [globex, unknown]) {
        const refused = await app.call('POST', `${domains(id)}/globex.example/verify`, { key })
        assert.deepEqual([refused.status, refused.body.code], [404, 'organization_not_found'])
        const removed = await app.call('DELETE', `${domains(id)}/globex.example`, { key })
        assert.deepEqual([removed.status, removed.body.code], [404, 'organization_not_found'])
      }
      // A domain of another customer: the record of the other organization proves nothing here.
      assert.equal((await add(acme, { domain: 'globex.example' })).status, 201)
      const stolen = await app.call('POST', `${domains(acme)}/globex.example/verify`, { key })
      assert.deepEqual([stolen.status, stolen.body.reason], [409, 'other_value'])
      assert.equal((await app.call('DELETE', `${domains(acme)}/acme.example`, { key })).status, 200)
      const reader = await keyOf(app, acme, ['connections:read@organization'])
      assert.equal((await app.call('POST', domains(acme), { key: reader, body: { domain: 'x.example' } })).status, 403)
    })
  })
}
