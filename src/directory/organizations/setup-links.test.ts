import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { recordsOf } from '../../../test/audit-records.ts'
import { follow } from '../../../test/events/directory.ts'
import { type Engine, engines, onlyPostgres, type Started, start } from '../../../test/harness.ts'
import { mailEnv, mailsOf } from '../../../test/mails/mailing.ts'
import { createPerson } from '../../../test/people.ts'
import { type StoppedClock, stoppedClock } from '../../../test/stopped-clock.ts'
import { makeKey } from '../../../test/tokens/parts.ts'
import { system } from '../../core/actor.ts'
import { type ClosedSetupLink, type OpenSetupLink, openSetupLink } from './setup-links.ts'

const dayMs = 86_400_000

type Opened = { app: Started; clock: StoppedClock; path: string; organization_id: string }

async function open(t: TestContext, engine: Engine, env: Record<string, string> = mailEnv): Promise<Opened> {
  const clock = stoppedClock()
  const app = await start(t, engine, { env, clock })
  const { body } = await app.call('POST', '/organizations', { body: { name: 'Acme' } })
  const { organization_id } = body
  return { app, clock, organization_id, path: `/organizations/${organization_id}/setup-links` }
}

async function make({ app, path }: Opened, body: object = { features: ['domains', 'connection', 'provisioning'] }) {
  const response = await app.call('POST', path, { body })
  assert.equal(response.status, 201, response.text)
  return response.body
}

const tokenOf = ({ url }: { url: string }) => url.split('/').at(-1) ?? ''

function look({ app, clock }: Pick<Opened, 'app' | 'clock'>, link: { url: string }) {
  return openSetupLink({ db: app.storage.db, now: clock() }, tokenOf(link))
}

const reasonOf = (found: OpenSetupLink | ClosedSetupLink) => ('reason' in found ? found.reason : undefined)

for (const engine of engines) {
  describe(`setup links on ${engine.name}`, () => {
    it('are returned with their address once, listed without it, and stored as hashes', async (t) => {
      const opened = await open(t, engine)
      const { app, clock, organization_id, path } = opened
      const link = await make(opened, { features: ['domains', 'connection'] })
      const { url, sent, ...rest } = link
      assert.match(url, /^http:\/\/orchard\.example\/auth\/setup\/[\w-]{43}$/)
      assert.equal(sent, false)
      assert.deepEqual(rest, {
        setup_link_id: link.setup_link_id,
        organization_id,
        features: ['domains', 'connection'],
        state: 'active',
        email: null,
        expires_at: new Date(clock() + 7 * dayMs).toISOString(),
        created_at: new Date(clock()).toISOString(),
        created_by: { ...link.created_by, kind: 'api_key' },
        last_used_at: null,
      })
      assert.deepEqual((await app.call('GET', path)).body, [rest])
      for (const table of ['organization_setup_links', 'link_tokens', 'audit_records', 'events', 'idempotency_keys']) {
        assert.ok(!JSON.stringify(await app.runSql(`SELECT * FROM ${table}`)).includes(tokenOf(link)), table)
      }
      const [record] = (await recordsOf(app)).filter(({ action }) => action === 'setup_link.created')
      assert.deepEqual(record?.target, { kind: 'setup_link', id: link.setup_link_id, name: 'Acme' })
    })

    it('return no address in a dry run, nor to a repeated request', async (t) => {
      const { app, path } = await open(t, engine)
      const body = { features: ['provisioning'] }
      const rehearsed = await app.call('POST', `${path}?dry_run=true`, { body })
      assert.deepEqual([rehearsed.status, rehearsed.body.url, rehearsed.body.sent], [200, undefined, false])
      assert.deepEqual((await app.call('GET', path)).body, [])
      const headers = { 'idempotency-key': 'once' }
      const first = await app.call('POST', path, { body, headers })
      const second = await app.call('POST', path, { body, headers })
      assert.notEqual(first.body.url, undefined)
      assert.deepEqual([second.status, second.body.url], [201, undefined])
      assert.equal(second.body.setup_link_id, first.body.setup_link_id)
    })

    it('are announced when they are created and revoked, once, without the link and its address', async (t) => {
      const opened = await open(t, engine)
      const { app, organization_id, path } = opened
      const link = await make(opened, { features: ['domains'], email: 'it@acme.example' })
      for (let i = 0; i < 2; i++) await app.call('DELETE', `${path}/${link.setup_link_id}`)
      const { setup_link_id, created_at, expires_at } = link
      const data = { setup_link_id, organization_id, features: ['domains'], created_at, expires_at }
      const events = (await follow(app)).filter(({ type }) => type.startsWith('setup_link.'))
      assert.deepEqual(
        events.map(({ type, subject, data }) => [type, subject, data]),
        [
          ['setup_link.created', setup_link_id, data],
          ['setup_link.revoked', setup_link_id, data],
        ],
      )
    })

    it('open as an actor who is limited to the organization and to what the features need', async (t) => {
      const opened = await open(t, engine)
      const { organization_id } = opened
      const held = async (features: string[]) => {
        const found = await look(opened, await make(opened, { features }))
        assert.ok('actor' in found)
        const { kind, limitedTo, permissions } = found.actor
        assert.deepEqual([kind, limitedTo], ['setup_link', organization_id])
        return permissions
      }
      assert.deepEqual(await held(['domains']), [])
      assert.deepEqual(await held(['connection']), ['connections:read@organization', 'connections:write@organization'])
      assert.deepEqual(await held(['provisioning']), [
        'provisioning:read@organization',
        'provisioning:write@organization',
        'scim:write@organization',
      ])
    })

    it('work until they expire or are revoked, and not while the organization is disabled or after it is deleted', async (t) => {
      const opened = await open(t, engine)
      const { app, clock, organization_id, path } = opened
      const of = { organization_id }
      const [short, revoked, long] = [
        await make(opened, { features: ['domains'], expires_at: new Date(clock() + 60_000).toISOString() }),
        await make(opened),
        await make(opened, { features: ['domains'], expires_at: new Date(clock() + 30 * dayMs).toISOString() }),
      ]
      const states = async () => [
        reasonOf(await look(opened, short)),
        reasonOf(await look(opened, revoked)),
        reasonOf(await look(opened, long)),
      ]
      assert.deepEqual(await states(), [undefined, undefined, undefined])
      assert.equal(reasonOf(await look(opened, { url: '/no-such-token' })), 'unknown')
      const end = await app.call('DELETE', `${path}/${revoked.setup_link_id}`)
      assert.deepEqual(end.body, { ...of, setup_link_id: revoked.setup_link_id, revoked: true })
      await clock.pass(60_000)
      assert.deepEqual(await states(), ['expired', 'revoked', undefined])
      assert.deepEqual(
        (await app.call('GET', path)).body.map(({ state }: { state: string }) => state),
        ['active', 'revoked', 'expired'],
      )
      await app.call('PATCH', `/organizations/${organization_id}`, { body: { active: false } })
      assert.equal(reasonOf(await look(opened, long)), 'closed')
      await app.call('PATCH', `/organizations/${organization_id}`, { body: { active: true } })
      assert.equal(reasonOf(await look(opened, long)), undefined)
      assert.equal((await app.call('DELETE', `/organizations/${organization_id}`)).status, 200)
      assert.deepEqual(await states(), ['unknown', 'unknown', 'unknown'])
      assert.deepEqual(await app.runSql('SELECT * FROM link_tokens'), [])
    })

    it('last at most 30 days, are for at least one feature, and at most 20 of an organization work', async (t) => {
      const opened = await open(t, engine)
      const { app, clock, path } = opened
      const refusal = async (body: object) => {
        const { status, body: problem } = await app.call('POST', path, { body })
        return [status, problem.errors?.[0]?.pointer ?? problem.code]
      }
      const at = (ms: number) => new Date(clock() + ms).toISOString()
      assert.deepEqual(await refusal({ features: [] }), [422, '#/features'])
      assert.deepEqual(await refusal({ features: ['users'] }), [422, '#/features/0'])
      assert.deepEqual(await refusal({ features: ['domains'], expires_at: at(30 * dayMs + 1) }), [422, '#/expires_at'])
      assert.deepEqual(await refusal({ features: ['domains'], expires_at: at(0) }), [422, '#/expires_at'])
      assert.deepEqual(await refusal({ features: ['domains'], email: 'no address' }), [422, '#/email'])
      const nowhere = path.replace(/[^/]+(?=\/setup-links)/, '019a9f3e-0000-7000-8000-000000000000')
      for (const [method, url] of [
        ['GET', nowhere],
        ['DELETE', `${nowhere}/019a9f3e-0000-7000-8000-000000000001`],
      ] as const) {
        assert.equal((await app.call(method, url)).body.code, 'organization_not_found')
      }
      assert.equal((await app.call('DELETE', `${path}/nothing`)).body.code, 'setup_link_not_found')
      for (let i = 0; i < 20; i++) await make(opened)
      assert.deepEqual(await refusal({ features: ['domains'] }), [409, 'too_many_setup_links'])
    })

    it('need the permissions for what they can do; another organization has no such link', async (t) => {
      const opened = await open(t, engine)
      const { app, path } = opened
      const link = await make(opened)
      const other = await app.call('POST', '/organizations', { body: { name: 'Other' } })
      const foreign = `/organizations/${other.body.organization_id}/setup-links/${link.setup_link_id}`
      assert.equal((await app.call('DELETE', foreign)).body.code, 'setup_link_not_found')
      const statuses = async (...permissions: string[]) => {
        const { key } = await makeKey(app, permissions)
        const send = (method: string, url: string, body?: object) => app.call(method, url, { key, body })
        return [
          (await send('GET', path)).status,
          (await send('POST', `${path}?dry_run=true`, { features: ['domains', 'connection'] })).status,
          (await send('POST', `${path}?dry_run=true`, { features: ['provisioning'] })).status,
          (await send('POST', `${path}?dry_run=true`, { features: ['domains', 'provisioning'] })).status,
          (await send('DELETE', `${path}/${link.setup_link_id}?dry_run=true`)).status,
        ]
      }
      assert.deepEqual(await statuses('connections:read'), [200, 403, 403, 403, 403])
      assert.deepEqual(await statuses('connections:write'), [403, 200, 403, 403, 200])
      assert.deepEqual(await statuses('provisioning:read', 'provisioning:write'), [200, 403, 200, 403, 200])
      assert.deepEqual(await statuses('organizations:read', 'organizations:write'), [403, 403, 403, 403, 403])
      assert.deepEqual(await statuses('connections:write', 'provisioning:write'), [403, 200, 200, 200, 200])
    })

    it('can be created and seen by administrators of the organization, and those of another one find nothing', async (t) => {
      const opened = await open(t, engine)
      const { app, organization_id, path } = opened
      const link = await make(opened)
      const other = (await app.call('POST', '/organizations', { body: { name: 'Other' } })).body.organization_id
      const permissions = ['connections:read@organization', 'connections:write@organization']
      const own = (await makeKey(app, permissions, { organization_id })).key
      const foreign = (await makeKey(app, permissions, { organization_id: other })).key
      const body = { features: ['domains', 'connection'] }
      assert.equal((await app.call('GET', path, { key: own })).body.length, 1)
      assert.equal((await app.call('POST', path, { key: own, body })).status, 201)
      const wide = await app.call('POST', path, { key: own, body: { features: ['provisioning'] } })
      assert.deepEqual([wide.status, wide.body.code], [403, 'permission_denied'])
      for (const [method, url] of [
        ['GET', path],
        ['POST', path],
        ['DELETE', `${path}/${link.setup_link_id}`],
      ] as const) {
        const refused = await app.call(method, url, { key: foreign, ...(method === 'POST' && { body }) })
        assert.deepEqual([refused.status, refused.body.code], [404, 'organization_not_found'], method)
      }
      assert.equal((await app.call('DELETE', `${path}/${link.setup_link_id}`, { key: own })).status, 200)
    })

    it('are sent by email on request, in a language of the reader, and a revoked one is not sent any more', async (t) => {
      const opened = await open(t, engine)
      const { app, path } = opened
      const link = await make(opened, { features: ['domains'], email: 'it@acme.example', locale: 'de' })
      assert.deepEqual([link.sent, link.email], [true, 'it@acme.example'])
      const [mail] = await mailsOf(app)
      assert.deepEqual([mail?.kind, mail?.status], ['setup_link', 'waiting'])
      await app.call('DELETE', `${path}/${link.setup_link_id}`)
      assert.equal((await mailsOf(app))[0]?.status, 'cancelled')
      const silent = await open(t, engine, {})
      const refused = await silent.app.call('POST', silent.path, {
        body: { features: ['domains'], email: 'it@acme.example' },
      })
      assert.equal(refused.body.code, 'mail_not_configured')
    })

    it('are forgotten 30 days after they expired, and forget a user who is erased', async (t) => {
      const opened = await open(t, engine)
      const { app, clock, path } = opened
      const person = await createPerson(app, { username: 'olga', email: 'olga@acme.example' })
      const { key } = await makeKey(app, ['*'])
      const created = await app.call('POST', path, { key, body: { features: ['domains'], email: 'olga@acme.example' } })
      await app.runSql(
        `UPDATE organization_setup_links SET creator_kind = 'user', creator_id = '${person.user_id}', creator_name = 'olga'`,
      )
      assert.equal((await app.call('DELETE', `/users/${person.user_id}?purge=true`)).status, 200)
      const [erased] = (await app.call('GET', path)).body
      assert.deepEqual([erased.email, erased.created_by.name], [null, ''])
      await clock.pass(37 * dayMs + 1)
      const request = { actor: system, now: clock(), requestId: 'housekeeping' }
      await app.storage.change('setup_links.prune', undefined, request)
      assert.deepEqual((await app.call('GET', path)).body, [])
      assert.equal(reasonOf(await look(opened, created.body)), 'unknown')
    })
  })
}

for (const engine of onlyPostgres) {
  describe(`setup links and a second node on ${engine.name}`, () => {
    it('are refused by it at once after they were revoked, or the organization was disabled', async (t) => {
      const opened = await open(t, engine)
      const { app, clock, organization_id, path } = opened
      const second = await start(t, engine, { env: mailEnv, clock, beside: app })
      const [one, other] = [await make(opened), await make(opened)]
      const onSecond = async (link: { url: string }) => reasonOf(await look({ app: second, clock }, link))
      assert.deepEqual([await onSecond(one), await onSecond(other)], [undefined, undefined])
      await app.call('DELETE', `${path}/${one.setup_link_id}`)
      assert.deepEqual([await onSecond(one), await onSecond(other)], ['revoked', undefined])
      await app.call('PATCH', `/organizations/${organization_id}`, { body: { active: false } })
      assert.equal(await onSecond(other), 'closed')
    })
  })
}
