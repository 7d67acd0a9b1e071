import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { type Recorded, recordsOf } from '../../../test/audit-records.ts'
import { type Engine, engines, everyEngine, onlyPostgres, type Started, start } from '../../../test/harness.ts'
import { startNameServer, startPublisher } from '../../../test/name-server.ts'

type Organization = { organization_id: string; name: string }

let organizationsSoFar = 0

async function createOrganization(app: Started, name = `Acme ${++organizationsSoFar}`): Promise<Organization> {
  const response = await app.call('POST', '/organizations', { body: { name } })
  assert.equal(response.status, 201, response.text)
  return response.body
}

const add = (app: Started, { organization_id }: Organization, domain: string, more: object = {}) =>
  app.call('POST', `/organizations/${organization_id}/domains`, { body: { domain, ...more } })
const verify = (app: Started, { organization_id }: Organization, domain: string, query = '') =>
  app.call('POST', `/organizations/${organization_id}/domains/${encodeURIComponent(domain)}/verify${query}`)
const remove = (app: Started, { organization_id }: Organization, domain: string) =>
  app.call('DELETE', `/organizations/${organization_id}/domains/${encodeURIComponent(domain)}`)
const get = (app: Started, { organization_id }: Organization) => app.call('GET', `/organizations/${organization_id}`)

async function startWithNames(t: TestContext, engine: Engine, env: Record<string, string> = {}) {
  const names = await startPublisher(t)
  return { names, app: await start(t, engine, { env: { ...names.env, ...env } }) }
}

const ofDomains = ({ action }: Recorded) => action.startsWith('organization.domain_')
const noted = (records: readonly Recorded[]) =>
  records.filter(ofDomains).map(({ action, details, target }) => [action, target?.name, details])

for (const engine of everyEngine) {
  describe(`domains of organizations on ${engine.name}`, () => {
    it('are added with the record to publish, verified by it, and removed, with records, events and a new version', async (t) => {
      const { app, names } = await startWithNames(t, engine)
      const acme = await createOrganization(app, 'Acme')
      const before = await get(app, acme)
      assert.deepEqual(before.body.domains, [])
      const added = await add(app, acme, 'Acme.Example.')
      assert.equal(added.status, 201, added.text)
      const { record_value, ...rest } = added.body
      assert.deepEqual(rest, { domain: 'acme.example', verified_at: null, record_name: '_rollbook.acme.example' })
      assert.match(record_value, /^rollbook-verification=[\w-]{22}$/)
      const again = await add(app, acme, 'ACME.example')
      assert.deepEqual([again.status, again.body], [200, added.body])
      const after = await get(app, acme)
      assert.deepEqual(after.body.domains, [added.body])
      assert.notEqual(after.headers.etag, before.headers.etag)

      const early = await verify(app, acme, 'acme.example')
      assert.deepEqual([early.status, early.body.code, early.body.reason], [409, 'domain_not_proved', 'no_record'])
      assert.ok(early.body.detail.includes(record_value), early.body.detail)
      names.publish('_rollbook.acme.example', 'v=spf1 -all', record_value)
      const rehearsed = await verify(app, acme, 'acme.example', '?dry_run=true')
      assert.equal(rehearsed.status, 200, rehearsed.text)
      assert.deepEqual((await get(app, acme)).body.domains, [added.body])
      const verified = await verify(app, acme, 'ACME.example.')
      assert.equal(verified.status, 200, verified.text)
      assert.ok(Math.abs(Date.parse(verified.body.verified_at) - Date.now()) < 60_000)
      assert.deepEqual((await get(app, acme)).body.domains, [verified.body])
      assert.notEqual((await get(app, acme)).headers.etag, after.headers.etag)

      const removed = await remove(app, acme, 'acme.example')
      const { organization_id } = acme
      assert.deepEqual(removed.body, { organization_id, domain: 'acme.example', deleted: true })
      assert.deepEqual((await get(app, acme)).body.domains, [])
      assert.equal((await remove(app, acme, 'acme.example')).body.code, 'domain_not_found')
      assert.deepEqual(noted(await recordsOf(app)), [
        ['organization.domain_added', 'Acme', { domain: 'acme.example' }],
        ['organization.domain_verified', 'Acme', { domain: 'acme.example', by: 'dns' }],
        ['organization.domain_removed', 'Acme', { domain: 'acme.example', verified: true }],
      ])
      const { events } = (await app.call('GET', '/events?type=organization.*')).body
      assert.deepEqual(
        events.map(({ type, data }: { type: string; data: { domains: object } }) => [type, data.domains]),
        [
          ['organization.created', []],
          ['organization.updated', [{ domain: 'acme.example', verified_at: null }]],
          ['organization.updated', [{ domain: 'acme.example', verified_at: verified.body.verified_at }]],
          ['organization.updated', []],
        ],
      )
    })

    it('that are verified belong to one organization, whichever of several callers comes first', async (t) => {
      const { app, names } = await startWithNames(t, engine)
      const all = await Promise.all(Array.from({ length: 6 }, () => createOrganization(app)))
      const values = await Promise.all(all.map(async (one) => (await add(app, one, 'acme.example')).body.record_value))
      assert.equal(new Set(values).size, all.length)
      names.publish('_rollbook.acme.example', ...values)
      const answers = await Promise.all(
        all.map((one, n) =>
          n % 2 === 0 ? verify(app, one, 'acme.example') : add(app, one, 'acme.example', { verified: true }),
        ),
      )
      const codes = answers.map(({ status, body }) => (status === 200 ? 200 : body.code)).toSorted()
      assert.deepEqual(codes, [200, ...Array.from({ length: 5 }, () => 'domain_taken')])
      const winner = all[answers.findIndex(({ status }) => status === 200)] as Organization
      const other = all.find((one) => one !== winner) as Organization
      assert.equal((await remove(app, winner, 'acme.example')).status, 200)
      assert.equal((await verify(app, other, 'acme.example')).status, 200)
      // With the organization its domains go, so that they are free.
      assert.equal((await app.call('DELETE', `/organizations/${other.organization_id}`)).status, 200)
      assert.equal((await add(app, winner, 'acme.example', { verified: true })).status, 201)
    })
  })
}

for (const engine of onlyPostgres) {
  describe(`domains of organizations on two nodes on ${engine.name}`, () => {
    it('that are verified belong to one organization, whichever node comes first', async (t) => {
      const { app, names } = await startWithNames(t, engine)
      const other = await start(t, engine, { env: names.env, beside: app })
      const all = await Promise.all(Array.from({ length: 6 }, () => createOrganization(app)))
      const values = await Promise.all(all.map(async (one) => (await add(app, one, 'acme.example')).body.record_value))
      names.publish('_rollbook.acme.example', ...values)
      const answers = await Promise.all(all.map((one, n) => verify(n % 2 === 0 ? app : other, one, 'acme.example')))
      const codes = answers.map(({ status, body }) => (status === 200 ? 200 : body.code)).toSorted()
      assert.deepEqual(codes, [200, ...Array.from({ length: 5 }, () => 'domain_taken')])
    })
  })
}

for (const engine of engines) {
  describe(`a domain of an organization on ${engine.name}`, () => {
    it('is stated as verified by a caller who may, once, and asks no name server', async (t) => {
      const { app, names } = await startWithNames(t, engine)
      const [acme, other] = [await createOrganization(app, 'Acme'), await createOrganization(app, 'Other')]
      const rehearsed = await app.call('POST', `/organizations/${acme.organization_id}/domains?dry_run=true`, {
        body: { domain: 'acme.example', verified: true },
      })
      assert.equal(rehearsed.status, 200, rehearsed.text)
      const stated = await add(app, acme, 'acme.example', { verified: true })
      assert.equal(stated.status, 201, stated.text)
      assert.notEqual(stated.body.verified_at, null)
      assert.deepEqual((await add(app, acme, 'acme.example', { verified: false })).body, stated.body)
      assert.deepEqual((await verify(app, acme, 'acme.example')).body, stated.body)
      const second = await add(app, acme, 'second.example')
      assert.notEqual((await add(app, acme, 'second.example', { verified: true })).body.verified_at, null)
      assert.equal(second.body.verified_at, null)
      assert.equal((await add(app, other, 'acme.example')).status, 201, 'it gives nothing yet')
      const taken = await add(app, other, 'acme.example', { verified: true })
      assert.deepEqual([taken.status, taken.body.code], [409, 'domain_taken'])
      assert.deepEqual(names.questions, [])
      assert.deepEqual(noted(await recordsOf(app)), [
        ['organization.domain_verified', 'Acme', { domain: 'acme.example', by: 'statement' }],
        ['organization.domain_added', 'Acme', { domain: 'second.example' }],
        ['organization.domain_verified', 'Acme', { domain: 'second.example', by: 'statement' }],
        ['organization.domain_added', 'Other', { domain: 'acme.example' }],
      ])
    })

    it('stays verified when its record disappears, and one that is added again needs another record', async (t) => {
      const { app, names } = await startWithNames(t, engine)
      const acme = await createOrganization(app)
      const { record_name, record_value } = (await add(app, acme, 'acme.example')).body
      names.publish(record_name, record_value)
      const verified = await verify(app, acme, 'acme.example')
      names.withdraw(record_name)
      assert.deepEqual((await verify(app, acme, 'acme.example')).body, verified.body)
      assert.equal(names.questions.length, 1)
      names.publish(record_name, record_value)
      await remove(app, acme, 'acme.example')
      await add(app, acme, 'acme.example')
      const { status, body } = await verify(app, acme, 'acme.example')
      assert.deepEqual([status, body.code, body.reason], [409, 'domain_not_proved', 'other_value'])
      assert.match(body.detail, /removed and added again/)
    })

    it('is not proved by the record of another domain or organization, even of one that the name server says it is', async (t) => {
      const names = new Map<string, string>()
      const server = await startNameServer(t, ({ name }) => ({
        owner: names.get('owner') ?? name,
        texts: [names.get(name) ?? 'nothing'],
      }))
      const app = await start(t, engine, { env: { ROLLBOOK_DNS_SERVERS: server.address } })
      const [acme, mallory] = [await createOrganization(app), await createOrganization(app)]
      const own = (await add(app, mallory, 'mallory.example')).body
      await add(app, mallory, 'acme.example')
      const hers = (await add(app, acme, 'acme.example')).body
      for (const value of [own.record_value, hers.record_value]) {
        names.set('_rollbook.acme.example', value)
        const { body } = await verify(app, mallory, 'acme.example')
        assert.deepEqual([body.code, body.reason], ['domain_not_proved', 'other_value'])
        assert.ok(body.detail.includes(value))
      }
      names.set('owner', '_rollbook.mallory.example')
      names.set('_rollbook.acme.example', own.record_value)
      assert.equal((await verify(app, mallory, 'acme.example')).body.code, 'domain_not_proved')
    })

    it('is lower case, ASCII and below a top-level domain', async (t) => {
      const { app } = await startWithNames(t, engine)
      const acme = await createOrganization(app)
      const stored = async (domain: string) => {
        const response = await add(app, acme, domain)
        assert.equal(response.status, 201, response.text)
        return response.body.domain
      }
      assert.equal(await stored(' Bücher.EXAMPLE '), 'xn--bcher-kva.example')
      assert.equal((await remove(app, acme, 'bücher.example')).status, 200)
      assert.equal(await stored('a.b.c.example.'), 'a.b.c.example')
      const longest = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(52)}.example`
      assert.equal(await stored(longest), longest)
      for (const domain of [
        ...['com', 'a.', 'example..com', '.example.com', 'example.com..', '*.example.com', '_rollbook.example.com'],
        ...['https://example.com', 'example.com/a', 'example.com:53', 'ada@example.com', '10.0.0.53', '[::1]', '::1'],
        ...[
          '-a.example',
          'a-.example',
          `${'a'.repeat(64)}.example`,
          `a${longest}`,
          'a b.example',
          'a\u200b.example',
          'a\0.example',
        ],
      ]) {
        const { status, body } = await add(app, acme, domain)
        assert.deepEqual([domain, status, body.errors?.[0]?.code], [domain, 422, 'domain_invalid'])
        assert.equal((await verify(app, acme, domain)).status, 404, domain)
      }
    })

    it('is not one under which anyone can have a name', async (t) => {
      const { app } = await startWithNames(t, engine)
      const acme = await createOrganization(app)
      for (const domain of ['co.uk', 'Github.io.', 'com.au']) {
        for (const more of [{}, { verified: true }]) {
          const { status, body } = await add(app, acme, domain, more)
          assert.deepEqual([domain, status, body.errors?.[0]?.code], [domain, 422, 'domain_public'])
        }
      }
    })

    it('is one of a hundred at most, of an organization that exists', async (t) => {
      const { app } = await startWithNames(t, engine)
      const acme = await createOrganization(app)
      for (let n = 0; n < 100; n++) assert.equal((await add(app, acme, `a${n}.example`)).status, 201)
      const { status, body } = await add(app, acme, 'more.example')
      assert.deepEqual([status, body.code], [409, 'too_many_domains'])
      assert.equal((await add(app, acme, 'a0.example')).status, 200)
      const nobody = { organization_id: '019a9f3e-0000-7000-8000-000000000000', name: '' }
      for (const call of [add, verify, remove]) {
        assert.equal((await call(app, nobody, 'acme.example')).body.code, 'organization_not_found')
      }
    })

    it('is asked for ten times a minute for an organization', async (t) => {
      const { app, names } = await startWithNames(t, engine)
      const [acme, other] = [await createOrganization(app), await createOrganization(app)]
      await add(app, acme, 'acme.example')
      await add(app, other, 'acme.example')
      for (let n = 0; n < 10; n++) assert.equal((await verify(app, acme, 'acme.example')).status, 409)
      const limited = await verify(app, acme, 'acme.example')
      assert.deepEqual([limited.status, limited.body.code], [429, 'too_many_attempts'])
      assert.ok(Number(limited.headers['retry-after']) > 30)
      assert.equal(names.questions.length, 10)
      assert.equal((await verify(app, other, 'acme.example')).status, 409)
    })

    it('is not verified while name servers fail, and no transaction waits for them', async (t) => {
      const arrived = Promise.withResolvers<void>()
      const server = await startNameServer(t, () => {
        arrived.resolve()
        // Silence at first: the resolver asks a second time after two seconds.
        return server.questions.length > 1 ? { code: 2 } : undefined
      })
      const app = await start(t, engine, { env: { ROLLBOOK_DNS_SERVERS: server.address } })
      const acme = await createOrganization(app)
      await add(app, acme, 'acme.example')
      const verifying = verify(app, acme, 'acme.example')
      await arrived.promise
      assert.equal((await add(app, acme, 'other.example')).status, 201)
      const { status, body, headers } = await verifying
      assert.deepEqual([status, body.code, body.reason], [503, 'name_server_unavailable', 'server_failed'])
      assert.match(body.detail, /SERVFAIL.*DNSSEC/)
      assert.equal(headers['retry-after'], '30')
    })
  })
}
