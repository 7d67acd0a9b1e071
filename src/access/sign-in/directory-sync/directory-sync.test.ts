/** Against OpenLDAP. */

import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { Attribute, Change } from 'ldapts'
import pino from 'pino'
import { createUser, type Engine, engines, type Started, start } from '../../../../test/harness.ts'
import { type Lie, result, startLyingDirectory } from '../../../../test/lying-directory.ts'
import { waitUntil } from '../../../../test/nodes/nodes.ts'
import { changeOrganization, createOrganization } from '../../../../test/organizations.ts'
import { connectionTo, findSlapd, person, type Slapd, startSlapd } from '../../../../test/slapd.ts'
import { rulesOf } from '../../../core/rules.ts'
import { createProviderCalls } from '../../providers/connections/provider-calls.ts'
import { createProtocols } from '../company-sign-in/protocols.ts'
import { createProviders } from '../company-sign-in/providers.ts'
import { createDirectorySync } from './directory-sync.ts'
import { createSyncCounts } from './metrics.ts'

type Body = Record<string, unknown>

const skip = (await findSlapd()) === undefined ? 'no slapd' : false
let slapd: Slapd
before(async () => {
  const started = skip === false ? await startSlapd() : undefined
  if (started) slapd = started
})
after(() => slapd?.stop())

const env = { ROLLBOOK_IDP_ALLOWED_NETWORKS: '127.0.0.1', ROLLBOOK_RATE_LIMIT: '0' }

async function company(t: TestContext, engine: Engine, changes: Body = {}) {
  const app = await start(t, engine, { env })
  const created = await app.call('POST', '/connections', {
    body: {
      ...connectionTo(slapd),
      user_filter: '(&(objectClass=inetOrgPerson)(uid={username}))',
      ...changes,
    },
  })
  assert.equal(created.status, 201, created.text)
  return { app, connection_id: created.body.connection_id as string }
}

/** Synchronizes, and returns the job when it has ended. */
async function sync(app: Started, connection_id: string, query = '', headers: Record<string, string> = {}) {
  const begun = await app.call('POST', `/connections/${connection_id}/sync${query}`, { headers })
  assert.equal(begun.status, query.includes('dry_run') ? 200 : 202, begun.text)
  let job = begun.body
  await waitUntil('the job ends', 20_000, async () => {
    job = (await app.call('GET', `/imports/${job.job_id}`)).body
    return job.state !== 'running'
  })
  return job
}

const countsOf = ({ created, updated, unchanged, skipped, rejected }: Record<string, number>) => {
  return { created, updated, unchanged, skipped, rejected }
}

/** What a node does in the background. */
function nodeOf(t: TestContext, { storage, config, outages }: Started) {
  const clock = Date.now
  const log = pino({ enabled: false })
  const protocols = createProtocols({ config, clock, calls: createProviderCalls(outages) })
  const providers = createProviders({ storage, protocols })
  const node = createDirectorySync({
    storage,
    providers,
    rules: rulesOf(config),
    clock,
    log,
    counts: createSyncCounts(),
  })
  t.after(async () => {
    await node.close()
    await protocols.close()
  })
  return node
}

async function userNamed(app: Started, name: string): Promise<{ user_id: string; active: boolean; role: string }> {
  const { body } = await app.call('GET', `/users?username=${encodeURIComponent(name)}`)
  return body[0]
}

async function add(uid: string, more: Record<string, string> = {}): Promise<void> {
  const { dn, mail } = person(uid)
  await slapd.admin.add(dn, { objectClass: 'inetOrgPerson', uid, cn: uid, sn: 'Temporary', mail, ...more })
}

for (const engine of engines) {
  describe(`the synchronization of a directory on ${engine.name}`, { skip }, () => {
    it('creates the users of the domains, after a dry run that changes nothing', async (t) => {
      const mapping = { role_claim: 'groups', roles: { engineers: 'admin' }, role_sync: 'sign_in' }
      const { app, connection_id } = await company(t, engine, mapping)
      const tried = await sync(app, connection_id, '?dry_run=true')
      // zoë has no address; user13 and user14 share one.
      assert.deepEqual(countsOf(tried), { created: 20, updated: 0, unchanged: 0, skipped: 1, rejected: 0 })
      assert.equal(await userNamed(app, 'ada@example.com'), undefined)
      const done = await sync(app, connection_id)
      assert.deepEqual(countsOf(done), { created: 19, updated: 0, unchanged: 0, skipped: 1, rejected: 1 })
      assert.equal(done.format, 'ldap')
      assert.match(done.rejects[0].detail, /uid=user1[34],ou=people/)
      assert.equal((await userNamed(app, 'ada@example.com')).role, 'admin')
      assert.equal((await userNamed(app, 'user02@example.com')).role, 'user')
      const again = await sync(app, connection_id)
      assert.deepEqual(countsOf(again), { created: 0, updated: 0, unchanged: 19, skipped: 1, rejected: 1 })
      const actions = (await app.call('GET', '/audit?limit=200')).text
      assert.match(actions, /import\.finished/)
    })

    it('sets the end date of users by an attribute, also one that has passed, and by no text that is no date', async (t) => {
      // An attribute that every schema of OpenLDAP has.
      const mapping = { expires_at_claim: 'employeeType', expires_at_sync: 'sign_in' }
      await add('ending', { employeeType: '20991231235959Z' })
      await add('gone', { employeeType: '20200101000000Z' })
      const { app, connection_id } = await company(t, engine, mapping)
      await sync(app, connection_id)
      const endOf = async (name: string) => {
        const { body } = await app.call('GET', `/users?username=${name}@example.com`)
        return body.map(({ active, expires_at }: { active: boolean; expires_at?: string }) => [active, expires_at])
      }
      assert.deepEqual(await endOf('ending'), [[true, '2099-12-31T23:59:59.000Z']])
      assert.deepEqual(await endOf('gone'), [])
      assert.deepEqual(await endOf('ada'), [[true, undefined]])
      const modify = (value: string) =>
        slapd.admin.modify(
          person('ending').dn,
          new Change({ operation: 'replace', modification: new Attribute({ type: 'employeeType', values: [value] }) }),
        )
      await modify('contractor')
      assert.equal((await sync(app, connection_id)).updated, 0)
      assert.deepEqual(await endOf('ending'), [[true, '2099-12-31T23:59:59.000Z']])
      const failures = (await app.call('GET', `/connections/${connection_id}/failures`)).body
      assert.match(failures[0].detail, /employeeType is a text that is no date/)
      await modify('0')
      await sync(app, connection_id)
      assert.deepEqual(await endOf('ending'), [[true, undefined]])
      await modify('20200101000000Z')
      assert.equal((await sync(app, connection_id)).updated, 1)
      assert.deepEqual(await endOf('ending'), [[true, '2020-01-01T00:00:00.000Z']])
      // Whose access has ended stays as they are, like those whom an administrator disabled.
      await modify('20991231235959Z')
      await sync(app, connection_id)
      assert.deepEqual(await endOf('ending'), [[true, '2020-01-01T00:00:00.000Z']])
      for (const uid of ['ending', 'gone']) await slapd.admin.del(person(uid).dn)
    })

    it('updates names, disables users who are gone or disabled there, ends their sessions, and enables no user', async (t) => {
      await add('temp')

      const { app, connection_id } = await company(t, engine)
      await sync(app, connection_id)
      const temp = await userNamed(app, 'temp@example.com')
      assert.equal(temp.active, true)
      await app.call('PATCH', `/users/${temp.user_id}`, { body: { last_name: 'Other' } })
      assert.equal((await sync(app, connection_id)).updated, 1)
      assert.equal((await app.call('GET', `/users/${temp.user_id}`)).body.last_name, 'Temporary')
      await slapd.admin.del(person('temp').dn)
      assert.equal((await sync(app, connection_id, '?dry_run=true')).updated, 1)
      assert.equal((await userNamed(app, 'temp@example.com')).active, true)
      assert.equal((await sync(app, connection_id)).updated, 1)
      assert.equal((await userNamed(app, 'temp@example.com')).active, false)
      const ada = await userNamed(app, 'ada@example.com')
      await app.call('PATCH', `/users/${ada.user_id}`, { body: { active: false } })
      await sync(app, connection_id)
      assert.equal((await userNamed(app, 'ada@example.com')).active, false)
    })

    it('renews addresses that changed, and creates their next owners, in whichever order it lists them', async (t) => {
      await add('early', { mail: 'early@elsewhere.example' })
      await add('late')
      t.after(async () => {
        for (const uid of ['early', 'late']) await slapd.admin.del(person(uid).dn)
      })
      const { app, connection_id } = await company(t, engine, { trusted_domains: ['example.com'] })
      const former = person('late').mail
      await sync(app, connection_id)
      const late = await userNamed(app, former)
      const setMail = (uid: string, mail: string) => {
        const modification = new Attribute({ type: 'mail', values: [mail] })
        return slapd.admin.modify(person(uid).dn, new Change({ operation: 'replace', modification }))
      }
      await setMail('late', 'late.new@example.com')
      await setMail('early', former)
      const done = await sync(app, connection_id)
      assert.deepEqual([done.created, done.updated], [1, 1])
      const renewed = (await app.call('GET', `/users/${late.user_id}`)).body
      assert.deepEqual([renewed.username, renewed.email], ['late.new@example.com', 'late.new@example.com'])
      assert.notEqual((await userNamed(app, former)).user_id, late.user_id)
      assert.equal((await sync(app, connection_id)).updated, 0)
    })

    it('puts users into the groups that the mapping names, and takes them out again', async (t) => {
      const { app, connection_id } = await company(t, engine)
      const { group_id } = (await app.call('POST', '/groups', { body: { name: 'Engineers' } })).body
      const mapping = { group_claim: 'groups', groups: { engineers: group_id }, group_sync: 'sign_in' }
      const path = `/connections/${connection_id}`
      const changed = await app.call('PATCH', path, { body: mapping })
      assert.equal(changed.status, 200, changed.text)
      await sync(app, connection_id)
      const members = async () => (await app.call('GET', `/groups/${group_id}/members`)).body
      const names = (await members()).map(({ username }: { username: string }) => username)
      assert.ok(names.includes('ada@example.com') && !names.includes('user02@example.com'), names.join())
      assert.equal((await sync(app, connection_id)).updated, 0)
      const ada = await userNamed(app, 'ada@example.com')
      await app.call('DELETE', `/groups/${group_id}/members/${ada.user_id}`)
      assert.equal((await sync(app, connection_id)).updated, 1)
      assert.equal((await members()).length, names.length)
    })

    it('disables no user when suspiciously many are gone, until the caller confirms it', async (t) => {
      const { app, connection_id } = await company(t, engine)
      await sync(app, connection_id)
      const path = `/connections/${connection_id}`
      const narrow = { user_filter: '(&(objectClass=inetOrgPerson)(uid={username})(uid=ada))' }
      assert.equal((await app.call('PATCH', path, { body: narrow })).status, 200)
      const refused = await sync(app, connection_id)
      assert.deepEqual([refused.updated, refused.rejects[0].code], [0, 'too_many_missing'], JSON.stringify(refused))
      const local = await createUser(app, { username: 'local' })
      const allowed = await sync(app, connection_id, '?max_disabled=18')
      assert.deepEqual(allowed.rejects, [])
      assert.equal(allowed.updated, 18)
      assert.equal((await userNamed(app, 'ada@example.com')).active, true)
      assert.equal((await app.call('GET', `/users/${local.user_id}`)).body.active, true)
      // An empty directory is a mistake, whatever the limit.
      const nobody = { user_filter: '(&(objectClass=inetOrgPerson)(uid={username})(uid=nobody))' }
      await app.call('PATCH', path, { body: nobody })
      const empty = await sync(app, connection_id, '?max_disabled=1000')
      assert.equal(empty.rejects[0].code, 'listing_incomplete')
    })

    it('says on the page of the connection that the directory cannot be reached, and does not count as finished', async (t) => {
      const { app, connection_id } = await company(t, engine, { servers: ['ldap://127.0.0.1:1'] })
      const job = await sync(app, connection_id)
      assert.equal(job.state, 'interrupted')
      const failures = (await app.call('GET', `/connections/${connection_id}/failures`)).body
      assert.match(failures[0].detail, /Synchronization: .*ECONNREFUSED/)
    })

    it('says why the server ended the listing, before the job counts as interrupted', async (t) => {
      const lie: Lie = ({ kind, id }) => {
        if (kind === 'bind') return result(id, 'bind')
        return kind === 'search' ? result(id, 'search', 4) : undefined
      }
      const { url } = await startLyingDirectory(t, lie)
      const { app, connection_id } = await company(t, engine, { servers: [url] })
      assert.equal((await sync(app, connection_id)).state, 'interrupted')
      const [failure] = (await app.call('GET', `/connections/${connection_id}/failures`)).body
      assert.equal(failure.reason, 'provider_refused')
      assert.match(failure.detail, /Synchronization: .*size limit/)
    })

    it('runs by itself every sync_hours, once for all nodes, while the connection is active', async (t) => {
      const { app, connection_id } = await company(t, engine, { sync_hours: 6 })
      const beside = engine.name === 'PostgreSQL' ? await start(t, engine, { env, beside: app }) : app
      const nodes = [nodeOf(t, app), nodeOf(t, beside)]
      const begun = Date.now()
      const jobs = async () => (await app.call('GET', '/imports')).body as { state: string; created: number }[]
      const tendAt = async (hours: number) => {
        await Promise.all([...nodes, ...nodes].map((node) => node.tend(begun + hours * 3_600_000)))
        await waitUntil('the jobs end', 20_000, async () => (await jobs()).every(({ state }) => state !== 'running'))
        return (await jobs()).map(({ state, created }) => `${state} ${created}`)
      }
      assert.deepEqual(await tendAt(0), ['done 19'])
      assert.deepEqual(await tendAt(5), ['done 19'])
      assert.deepEqual(await tendAt(6), ['done 0', 'done 19'])
      await app.call('PATCH', `/connections/${connection_id}`, { body: { active: false } })
      assert.equal((await tendAt(12)).length, 2)
      await app.call('PATCH', `/connections/${connection_id}`, { body: { active: true, sync_hours: null } })
      assert.equal((await tendAt(18)).length, 2)
    })

    it('cannot disable the last administrator who may use a password', async (t) => {
      await add('keeper')
      t.after(() => slapd.admin.del(person('keeper').dn).catch(() => undefined))
      const { app, connection_id } = await company(t, engine)
      await sync(app, connection_id)
      const keeper = await userNamed(app, 'keeper@example.com')
      const body = { role: 'admin', password: 'seven grey herons over the weir' }
      assert.equal((await app.call('PATCH', `/users/${keeper.user_id}`, { body })).status, 200)
      await createUser(app, { username: 'other', role: 'admin' })
      const rule = { passwords: 'refused_for_all', password_exceptions: [keeper.user_id] }
      const ruled = await app.call('PATCH', `/connections/${connection_id}`, { body: rule })
      assert.equal(ruled.status, 200, ruled.text)
      await slapd.admin.del(person('keeper').dn)
      const job = await sync(app, connection_id)
      assert.equal(job.rejects.at(-1).code, 'last_password_admin', JSON.stringify(job.rejects))
      assert.equal((await userNamed(app, 'keeper@example.com')).active, true)
    })

    it('does not begin for a disabled organization, nor by itself', async (t) => {
      const { app, connection_id } = await company(t, engine, { sync_hours: 6 })
      const organization_id = await createOrganization(app)
      const path = `/connections/${connection_id}`
      assert.equal((await app.call('PATCH', path, { body: { organization_id } })).status, 200)
      await changeOrganization(app, organization_id, { active: false })
      for (const query of ['', '?dry_run=true']) {
        const refused = await app.call('POST', `${path}/sync${query}`)
        assert.equal(refused.status, 422, refused.text)
        assert.match(refused.body.detail, /The organization of this connection is disabled/)
      }
      await nodeOf(t, app).tend(Date.now())
      assert.deepEqual((await app.call('GET', '/imports')).body, [])
      await changeOrganization(app, organization_id, { active: true })
      assert.equal((await sync(app, connection_id)).created, 19)
    })

    it('begins once for an Idempotency-Key, and only for a directory and callers who may', async (t) => {
      const { app, connection_id } = await company(t, engine)
      const headers = { 'idempotency-key': 'once' }
      const job = await sync(app, connection_id, '', headers)
      const again = await app.call('POST', `/connections/${connection_id}/sync`, { headers })
      assert.deepEqual([again.body.job_id, again.body.state], [job.job_id, 'done'])
      const oidc = { kind: 'oidc', name: 'Other', issuer: 'https://id.example.com', client_id: 'c' }
      const other = (await app.call('POST', '/connections', { body: oidc })).body.connection_id
      assert.equal((await app.call('POST', `/connections/${other}/sync`)).status, 422)
      const { key } = (await app.call('POST', '/keys', { body: { name: 'k', permissions: ['connections:write'] } }))
        .body
      assert.equal((await app.call('POST', `/connections/${connection_id}/sync`, { key })).status, 403)
    })
  })
}
