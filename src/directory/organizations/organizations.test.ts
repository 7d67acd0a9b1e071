import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines, everyEngine, type Started, start } from '../../../test/harness.ts'

type Body = Record<string, unknown>

async function create(app: Started, body: Body): Promise<{ organization_id: string }> {
  const response = await app.call('POST', '/organizations', { body })
  assert.equal(response.status, 201, response.text)
  return response.body
}

for (const engine of everyEngine) {
  describe(`organizations on ${engine.name}`, () => {
    it('have names that differ in more than case and spaces, and external ids of their own', async (t) => {
      const app = await start(t, engine)
      await create(app, { name: 'Acme Holding', external_id: 'a' })
      for (const name of ['acme holding', 'ACME  HOLDING', '\u00a0Acme Holding ']) {
        const { status, body } = await app.call('POST', '/organizations', { body: { name } })
        assert.deepEqual([status, body.code, body.errors[0].pointer], [409, 'organization_name_taken', '#/name'])
      }
      const other = await create(app, { name: 'Other' })
      const path = `/organizations/${other.organization_id}`
      const taken = await app.call('PATCH', path, { body: { external_id: 'a' } })
      assert.deepEqual([taken.status, taken.body.code], [409, 'external_id_taken'])
      const both = await app.call('PATCH', path, { body: { name: 'Acme holding', external_id: 'a' } })
      assert.deepEqual([both.status, both.body.code, both.body.errors.length], [409, 'organization_name_taken', 2])
      const renamed = await app.call('PATCH', path, { body: { name: 'OTHER' } })
      assert.deepEqual([renamed.status, renamed.body.name], [200, 'OTHER'])
    })

    it('are listed in pages, in each order, and found by name, ids and state', async (t) => {
      const app = await start(t, engine)
      const names = ['delta', 'Alpha', 'charlie', 'Bravo Süd']
      for (const name of names) await create(app, { name, external_id: `id ${name}`, active: name !== 'delta' })
      const listed = async (query: string) =>
        (await app.call('GET', `/organizations?${query}`)).body.map(({ name }: { name: string }) => name)
      for (const [query, found] of [
        ['', ['Alpha', 'Bravo Süd', 'charlie', 'delta']],
        ['sort=-created_at', names.toReversed()],
        ['q=HA', ['Alpha', 'charlie']],
        ['q=sud%20bra', ['Bravo Süd']],
        ['q=id%20delta', ['delta']],
        ['name=ALPHA', ['Alpha']],
        ['name=%00', []],
        ['external_id=id%20charlie', ['charlie']],
        ['external_id=%00', []],
        ['active=false', ['delta']],
        ['active=true&q=a', ['Alpha', 'Bravo Süd', 'charlie']],
      ] as const) {
        assert.deepEqual(await listed(query), found, query)
      }
      for (const sort of ['name', '-name', 'created_at', '-created_at']) {
        const pages: string[] = []
        for (let path: string | undefined = `/organizations?limit=1&sort=${sort}`; path !== undefined; ) {
          const { body, headers } = await app.call('GET', path)
          pages.push(...body.map(({ name }: { name: string }) => name))
          path = /<.*?(\/organizations\?[^>]*)>/.exec(headers.link ?? '')?.[1]
        }
        assert.deepEqual(pages, await listed(`sort=${sort}`), sort)
      }
      const { body } = await app.call('GET', '/organizations?cursor=nonsense')
      assert.equal(body.code, 'bad_cursor')
    })
  })
}

for (const engine of engines) {
  describe(`organizations on ${engine.name}`, () => {
    it('are created, changed by those who have read them, and deleted, with records and events', async (t) => {
      const app = await start(t, engine)
      const tried = await app.call('POST', '/organizations?dry_run=true', { body: { name: 'Acme' } })
      assert.deepEqual([tried.status, tried.headers.etag], [200, undefined])
      const created = await app.call('POST', '/organizations', { body: { name: ' Acme ' } })
      const { organization_id, created_at: _, updated_at: __, ...rest } = created.body
      assert.deepEqual(rest, {
        name: 'Acme',
        external_id: null,
        active: true,
        domains: [],
        second_factor: null,
        user_count: 0,
        group_count: 0,
      })
      const path = `/organizations/${organization_id}`
      assert.match(created.headers.location as string, new RegExp(`${path}$`))
      const etag = created.headers.etag as string
      const same = await app.call('GET', path, { headers: { 'if-none-match': etag } })
      assert.equal(same.status, 304)
      const changed = await app.call('PATCH', path, {
        body: { external_id: 'crm-1', active: false, second_factor: 'required' },
        headers: { 'if-match': etag },
      })
      assert.deepEqual(
        [changed.body.external_id, changed.body.active, changed.body.second_factor],
        ['crm-1', false, 'required'],
      )
      const late = await app.call('PATCH', path, { body: { name: 'Late' }, headers: { 'if-match': etag } })
      assert.deepEqual([late.status, late.body.code], [412, 'precondition_failed'])
      const unchanged = await app.call('PATCH', path, { body: { active: false } })
      assert.equal(unchanged.headers.etag, changed.headers.etag)
      const trial = await app.call('DELETE', `${path}?dry_run=true`)
      assert.deepEqual(trial.body, { organization_id, deleted: false })
      const removed = await app.call('DELETE', path.toUpperCase().replace('/ORGANIZATIONS', '/organizations'))
      assert.deepEqual(removed.body, { organization_id, deleted: true })
      for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
        const refused = await app.call(method, path, method === 'PATCH' ? { body: {} } : {})
        assert.deepEqual([refused.status, refused.body.code], [404, 'organization_not_found'], method)
      }
      const { body: records } = await app.call('GET', `/audit?target=${organization_id}&sort=seq`)
      assert.deepEqual(
        records.map(({ action, target }: { action: string; target: Body }) => [action, target.kind, target.name]),
        [
          ['organization.created', 'organization', 'Acme'],
          ['organization.updated', 'organization', 'Acme'],
          ['organization.updated', 'organization', 'Acme'],
          ['organization.deleted', 'organization', 'Acme'],
        ],
      )
      const { body: feed } = await app.call('GET', '/events?type=organization.*')
      assert.deepEqual(
        feed.events.map(({ type, subject, data }: { type: string; subject: string; data: Body }) => [
          type,
          subject,
          data.active,
        ]),
        [
          ['organization.created', organization_id, true],
          ['organization.updated', organization_id, false],
          ['organization.deleted', organization_id, undefined],
        ],
      )
    })

    it('refuses names that nobody can tell apart, and members that are none', async (t) => {
      const app = await start(t, engine)
      for (const body of [
        ...[' ', 'a\tb', 'a\u200bb', '\u0430cme inc', '', 'x'.repeat(129)].map((name) => ({ name })),
        { name: 'n', external_id: 'a\nb' },
        { name: 'n', second_factor: 'optional' },
        { name: 'n', domains: [] },
        { name: 'n', user_count: 1 },
        {},
      ]) {
        assert.equal((await app.call('POST', '/organizations', { body })).status, 422, JSON.stringify(body))
      }
    })
  })
}
