import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { runCommand, startCommand } from '../../../test/command-process.ts'
import { makeDirectory, type Service, startService } from '../../../test/durability/process.ts'
import { codeOf } from '../../../test/factors.ts'
import { adminKey } from '../../../test/harness.ts'
import { password } from '../../../test/people.ts'
import { eventually, inward } from '../../../test/webhooks/dispatching.ts'
import { startReceiver } from '../../../test/webhooks/receiver.ts'

/** A service, and the command line of its administrator. */
async function startBeside(t: TestContext) {
  const directory = makeDirectory(t)
  const service = await startService(t, { directory, env: inward })
  const env = { HOME: directory, ROLLBOOK_URL: service.url, ROLLBOOK_API_KEY: adminKey }
  const run = (...args: string[]) => runCommand(args, env)
  /** Returns the JSON of a command that succeeds. */
  const json = async (...args: string[]) => {
    const { code, out, err } = await run(...args, '--json')
    assert.equal(code, 0, err)
    return JSON.parse(out)
  }
  return { directory, service, env, run, json }
}

async function createUser(service: Service, username: string): Promise<string> {
  const body = { username, email: `${username}@example.com`, password }
  const response = await service.call('POST', '/users', body)
  assert.equal(response.status, 201)
  return ((await response.json()) as { user_id: string }).user_id
}

async function signIn(service: Service, username: string): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ username, password })
  const response = await fetch(`${service.url}/sessions`, { method: 'POST', headers, body })
  assert.equal(response.status, 201)
  return String(response.headers.get('set-cookie')).split(';', 1)[0] as string
}

async function follow(args: string[], env: Record<string, string>) {
  const { child, outcome: ended } = startCommand(args, env)
  let out = ''
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    out += part
  })
  return { lines: () => out.split('\n').slice(0, -1), stop: () => child.kill('SIGINT'), ended }
}

describe('commands that use a server', () => {
  it('work with a running service', async (t) => {
    const { directory, service, env, run, json } = await startBeside(t)

    await t.test('audit: lists records with filters, flat in a table or complete as JSON', async () => {
      const id = await createUser(service, 'ada')
      await createUser(service, 'bob')
      await service.call('PATCH', `/users/${id}`, { first_name: 'Ada' })
      const { code, out } = await run(
        'audit',
        'list',
        '--user',
        'ada',
        '--actor',
        'Admin (configuration)',
        '--columns',
        'action,actor,target',
        '--no-header',
      )
      assert.equal(code, 0)
      assert.deepEqual(
        out
          .trim()
          .split('\n')
          .map((line) => line.split(/ {2,}/)),
        [
          ['user.updated', 'key admin (configuration)', 'ada'],
          ['user.created', 'key admin (configuration)', 'ada'],
        ],
      )
      const changed = await run('audit', 'list', '--changed', 'first_name', '--target', 'ADA@example.com')
      assert.match(changed.out, /^SEQ +OCCURRED_AT +ACTION +ACTOR +TARGET +CHANGES\n.+ first_name: – → Ada\n$/)
      const none = await run('audit', 'list', '--changed', 'role')
      assert.deepEqual([none.code, none.err], [0, 'No records found.\n'])
      const whole = await json('audit', 'list', '--action', 'user.*', '--oldest-first')
      assert.deepEqual(
        whole.map(({ action, target }: { action: string; target: { name: string } }) => [action, target.name]),
        [
          ['user.created', 'ada'],
          ['user.created', 'bob'],
          ['user.updated', 'ada'],
        ],
      )
      assert.deepEqual(await json('audit', 'list', '--action', 'user.*', '--limit', '1'), [whole[2]])
      assert.deepEqual(await json('audit', 'list', '--action', 'user.*', '--limit', '1001', '--oldest-first'), whole)
      assert.deepEqual(await json('audit', 'list', '--until', '2020-01-01T00:00:00Z'), [])
    })

    await t.test('audit: writes no foreign control characters in any format', async () => {
      const evil = '\u009b31m\u00ad;=1+1\u0085x'
      await service.call('GET', '/keys', undefined, { 'user-agent': evil, 'x-api-key': 'x'.repeat(40) })
      for (const output of ['table', 'json', 'ndjson', 'csv']) {
        const { code, out } = await run('audit', 'list', '-o', output, '--columns', 'action,user_agent')
        assert.equal(code, 0)
        assert.match(out, /9b.?31m/i, output)
        assert.doesNotMatch(out.replace(/\r?\n/g, ''), /\p{Cc}/u, output)
        if (output === 'csv') assert.match(out, /\\u\{9b\}31m.*;'=1\+1/)
      }
    })

    await t.test('audit: follows new records until it is interrupted, and shows each record once', async () => {
      await createUser(service, 'carol')
      const args = ['tail', '--output', 'csv', '--no-header']
      const columns = ['--columns', 'action,target']
      const audit = await follow(['audit', ...args, ...columns, '-n', '1', '--action', 'user.*'], env)
      const events = await follow(['events', ...args, '--columns', 'type', '--type', 'user.*'], env)
      await eventually('what is there', () => audit.lines().length === 1)
      // It is not visible when the command has reached the end of the feed.
      let created = 0
      while (events.lines().length === 0 && created < 100) {
        await createUser(service, `user-${created++}`)
        await sleep(100)
      }
      await eventually('the news', () => audit.lines().length === created + 1)
      for (const one of [audit, events]) one.stop()
      assert.equal((await audit.ended).code, 130)
      assert.equal((await events.ended).code, 130)
      const expected = ['carol', ...Array.from({ length: created }, (_, n) => `user-${n}`)]
      assert.deepEqual(
        audit.lines().map((line) => line.trim()),
        expected.map((name) => `user.created,${name}`),
      )
      assert.ok(events.lines().length <= created)
      assert.ok(events.lines().every((line) => line.trim() === 'user.created'))
    })

    await t.test(
      'keys: creates, rotates and revokes keys, with secrets in a file that only its owner can read',
      async () => {
        const file = join(directory, 'sync.key')
        const status = async (key: string) =>
          (await service.call('GET', '/users', undefined, { 'x-api-key': key })).status

        const dry = await json(
          'keys',
          'create',
          'sync',
          '--permissions',
          'users:read',
          '--secret-file',
          file,
          '--dry-run',
        )
        assert.deepEqual([dry.name, dry.key, existsSync(file)], ['sync', undefined, false])
        const created = await json('keys', 'create', 'sync', '--permissions', 'users:read', '--secret-file', file)
        assert.deepEqual([created.name, created.permissions, created.key], ['sync', ['users:read'], undefined])
        const key = readFileSync(file, 'utf8').trim()
        assert.equal(statSync(file).mode & 0o777, 0o600)
        assert.equal(await status(key), 200)

        const refused = await run('keys', 'create', 'other', '--permissions', 'users:read', '--secret-file', file)
        assert.equal(refused.code, 1)
        const names = async () => (await json('keys', 'list')).map(({ name }: { name: string }) => name)
        assert.deepEqual(await names(), ['admin (configuration)', 'sync'], 'no key is left that nobody has')

        const { key: next } = await json('keys', 'rotate', 'sync')
        assert.deepEqual([await status(next), await status(key)], [200, 200])
        assert.equal((await run('keys', 'revoke', 'sync')).code, 2, 'there is nobody to ask')
        assert.equal(await status(next), 200)
        assert.deepEqual(await json('keys', 'revoke', next.slice(0, 9), '--yes'), {
          key_id: created.key_id,
          revoked: true,
        })
        assert.equal(await status(next), 401)
        assert.equal((await run('keys', 'revoke', 'sync', '--yes')).code, 3)
        assert.equal((await run('keys', 'revoke', created.key_id, '--yes')).code, 3)
      },
    )

    await t.test('keys: creates those of an organization, with permissions that are limited to it', async () => {
      const { organization_id } = await json('organizations', 'create', 'Key holders')
      const create = ['keys', 'create', 'limited', '--permissions', 'users:read@organization']
      const key = await json(...create, '--organization', 'key holders')
      assert.deepEqual([key.permissions, key.organization_id], [['users:read@organization'], organization_id])
      assert.equal((await service.call('GET', '/users', undefined, { 'x-api-key': key.key })).status, 200)
      assert.equal((await run(...create)).code, 1)
      assert.equal((await run(...create, '--organization', 'Key holders', '--user', 'ada')).code, 2)
      assert.equal((await run('keys', 'revoke', key.key_id, '--yes')).code, 0)
      const about = (organization: string) =>
        json('audit', 'list', '--organization', organization, '--columns', 'action', '--oldest-first')
      const records = (await about('Key holders')).map(({ action }: { action: string }) => action)
      assert.deepEqual(records.slice(0, 2), ['organization.created', 'key.created'])
      assert.equal((await run('organizations', 'delete', organization_id, '--yes')).code, 0)
      // It is gone, its records are not.
      assert.equal((await about(organization_id)).length, records.length + 1)
      assert.equal((await run('audit', 'list', '--organization', 'Key holders')).code, 3)
    })

    await t.test('keys: creates, lists, rotates and revokes those of a service account', async () => {
      const created = await json('users', 'create', 'billing', '--kind', 'service')
      assert.equal(created.kind, 'service')
      assert.deepEqual(await json('users', 'list', '--kind', 'service', '--columns', 'username'), [
        { username: 'billing' },
      ])
      const whoHas = async (key: string) => {
        const response = await service.call('GET', '/me', undefined, { 'x-api-key': key })
        return response.status === 200 ? ((await response.json()) as { user_id: string }).user_id : undefined
      }
      const { key, permissions } = await json('keys', 'create', 'production', '--user', 'billing')
      assert.deepEqual([permissions, await whoHas(key)], [[], created.user_id])
      const { key: next } = await json('keys', 'rotate', 'production', '--user', 'billing')
      assert.equal(await whoHas(next), created.user_id)
      assert.equal((await run('keys', 'revoke', 'production', '--yes')).code, 3, 'no program has it')
      await json('keys', 'revoke', 'production', '--user', 'billing', '--yes')
      assert.deepEqual([await whoHas(next), await json('keys', 'list', '--user', 'billing')], [undefined, []])
      await createUser(service, 'person')
      assert.equal((await run('keys', 'create', 'x', '--user', 'person')).code, 5)
    })

    await t.test('sessions: lists the sessions of a user, and ends them', async () => {
      await createUser(service, 'dave')
      const cookies = [await signIn(service, 'dave'), await signIn(service, 'dave'), await signIn(service, 'dave')]
      const states = () =>
        Promise.all(cookies.map(async (cookie) => (await fetch(`${service.url}/me`, { headers: { cookie } })).status))
      const [first, ...others] = await json('sessions', 'list', 'DAVE@example.com')
      assert.equal(others.length, 2)
      const one = ['sessions', 'end', 'dave', first.session_id]
      assert.equal((await json(...one, '--dry-run')).revoked, false)
      assert.deepEqual(await states(), [200, 200, 200])
      assert.equal((await json(...one)).revoked, true)
      assert.equal((await run(...one)).code, 3)
      assert.equal((await run('sessions', 'end-all', 'dave')).code, 2, 'there is nobody to ask')
      assert.equal((await states()).filter((status) => status === 200).length, 2)
      const { code, out, err } = await run('sessions', 'end-all', 'dave', '--yes')
      assert.equal(code, 0, err)
      assert.match(out, /^revoked +2$/m)
      assert.match(err, /^Ended 2 sessions of dave\.$/m)
      assert.deepEqual(await states(), [401, 401, 401])
      assert.equal((await run('sessions', 'list', 'nobody')).code, 3)
    })

    await t.test('sessions: names the administrator who acts as the user', async () => {
      const acted = await createUser(service, 'vaughan')
      await service.call('PATCH', `/users/${await createUser(service, 'chien')}`, { role: 'admin' })
      const headers = { cookie: await signIn(service, 'chien'), 'content-type': 'application/json' }
      const url = `${service.url}/users/${acted}/impersonation`
      const body = JSON.stringify({ reason: 'Case 4711' })
      const begun = await fetch(url, { method: 'POST', headers: { ...headers, 'sec-fetch-site': 'same-origin' }, body })
      assert.equal(begun.status, 201, await begun.clone().text())
      assert.match((await run('sessions', 'list', 'vaughan')).out, / ACT\n.+ chien\n$/)
      assert.match(
        (await run('sessions', 'list', 'vaughan', '--output', 'csv', '--columns', 'act')).out,
        /^act\r\nchien\r\n$/,
      )
      assert.equal((await json('sessions', 'list', 'vaughan'))[0].act.username, 'chien')
    })

    await t.test('provisioning: connects identity providers and shows their rejected requests', async () => {
      const dry = await json('provisioning', 'create', 'Okta', '--client', 'okta', '--dry-run')
      assert.deepEqual([dry.name, dry.profile, dry.key], ['Okta', 'okta', undefined])
      const created = await json('provisioning', 'create', 'Okta')
      assert.equal(created.profile, 'strict')
      const headers = { authorization: `Bearer ${created.key}`, 'content-type': 'application/scim+json' }
      const send = (body: object) =>
        fetch(`${created.scim_url}/Users`, { method: 'POST', headers, body: JSON.stringify(body) })
      const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User']
      assert.equal((await send({ schemas, userName: 'provisioned' })).status, 201)
      assert.equal((await send({ schemas, userName: 'provisioned', active: 'False' })).status, 400)
      const latest = () => json('provisioning', 'rejected', 'okta', '--limit', '1')
      await eventually('the rejected request is shown', async () => (await latest()).length === 1)
      const [rejected] = await latest()
      assert.deepEqual([rejected.status, rejected.scim_type], [400, 'invalidValue'])
      assert.match(
        (await run('provisioning', 'rejected', created.connection_id)).out,
        /^.*active must be true or false/m,
      )
      assert.equal((await run('provisioning', 'rejected', 'Okta', '--limit', '201')).code, 2)

      const changed = await json('provisioning', 'update', 'okta', '--name', 'Entra', '--client', 'entra')
      assert.deepEqual([changed.name, changed.profile, changed.user_count], ['Entra', 'entra', 1])
      assert.equal((await run('provisioning', 'update', 'Entra')).code, 2, 'there is nothing to change')
      assert.equal((await run('provisioning', 'get', 'Okta')).code, 3)
      assert.equal((await json('provisioning', 'get', created.connection_id.toUpperCase())).name, 'Entra')
      assert.match((await run('provisioning', 'list')).out, /Entra +entra +1/)
      assert.equal((await run('provisioning', 'delete', 'Entra')).code, 2, 'there is nobody to ask')
      assert.equal((await json('provisioning', 'delete', 'Entra', '--dry-run', '--yes')).deleted, false)
      assert.equal((await json('provisioning', 'delete', 'Entra', '--yes')).deleted, true)
      assert.deepEqual(await json('provisioning', 'list'), [])
      assert.equal((await send({ schemas, userName: 'later' })).status, 401)

      const file = join(directory, 'scim.key')
      const updated = await json('provisioning', 'create', 'Kept', '--secret-file', file)
      assert.deepEqual([updated.key, statSync(file).mode & 0o777], [undefined, 0o600])
      assert.match(readFileSync(file, 'utf8'), /^rb_/)
    })

    await t.test('connections: creates them from a file, tries claims, and deletes them', async () => {
      const write = (name: string, value: unknown) => {
        const file = join(directory, name)
        writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value))
        return file
      }
      const company = { kind: 'oidc', name: 'Example Inc.', issuer: 'https://id.example', client_id: 'rollbook' }
      const file = write('company.json', {
        ...company,
        client_secret: 'a secret',
        provisioning_domains: ['example.com'],
      })
      assert.equal((await json('connections', 'create', file, '--dry-run')).name, 'Example Inc.')
      const created = await json('connections', 'create', file)
      assert.match(created.redirect_uri, /\/callback$/)
      assert.equal((await run('connections', 'create', write('broken.json', '{'))).code, 2)
      const claims = write('claims.json', { sub: '1', email: 'newcomer@example.com', email_verified: true })
      assert.equal((await json('connections', 'test', 'example inc.', claims)).outcome, 'creates')
      const changed = await json('connections', 'update', created.connection_id, write('patch.json', { active: false }))
      assert.equal(changed.active, false)
      assert.match((await run('connections', 'list')).out, /oidc +Example Inc\./)
      assert.equal((await run('connections', 'get', 'Nobody')).code, 3)
      assert.deepEqual(await json('connections', 'failures', 'Example Inc.'), [])
      assert.equal((await json('connections', 'delete', 'Example Inc.', '--yes')).deleted, true)
    })

    await t.test('attributes: defines, lists, changes and deletes them', async () => {
      const created = await json('attributes', 'create', 'size', '--type', 'enum', '--option', 'S', 'M', '--searchable')
      assert.deepEqual(
        [created.type, created.options, created.searchable, created.label],
        ['enum', ['S', 'M'], true, 'size'],
      )
      assert.equal((await run('attributes', 'create', 'other')).code, 2, 'a type is needed')
      const user_id = await createUser(service, 'sized')
      const headers = { 'x-api-key': adminKey, 'content-type': 'application/json' }
      const body = JSON.stringify({ attributes: { size: 'M' } })
      assert.equal((await fetch(`${service.url}/users/${user_id}`, { method: 'PATCH', headers, body })).status, 200)
      assert.equal((await run('attributes', 'update', 'size', '--option', 'S')).code, 5, 'a user has M')
      const changed = await json('attributes', 'update', 'size', '--no-searchable', '--label', 'Size')
      assert.deepEqual([changed.searchable, changed.label], [false, 'Size'])
      assert.match((await run('attributes', 'list')).out, /^size +Size +enum/m)
      assert.equal((await run('attributes', 'update', 'size')).code, 2, 'there is nothing to change')
      assert.equal((await run('users', 'list', '--count', '--attribute', 'size=M')).out.trim(), '1')
      assert.equal((await run('users', 'list', '--count', '--attribute', 'size=M', '--search', 'x')).out.trim(), '0')
      const wouldChange = await run('users', 'bulk', 'disable', '--attribute', 'size=M', '--dry-run')
      assert.match(wouldChange.out + wouldChange.err, /1 user/)
      const twice = ['--attribute', 'size=M', '--attribute', 'size=S']
      for (const wrong of [['--attribute', 'size'], ['--attribute', 'Size=M'], twice]) {
        assert.equal((await run('users', 'list', ...wrong)).code, 2)
      }
      assert.equal((await json('attributes', 'delete', 'size', '--dry-run', '--yes')).values_removed, 1)
      const deleted = await run('attributes', 'delete', 'size', '--yes')
      assert.match(deleted.err, /^Deleted size with 1 value\.$/m)
      assert.deepEqual(await json('attributes', 'list'), [])
    })

    await t.test('factors: lists them, and removes one or all of a user', async () => {
      const user_id = await createUser(service, 'phoebe')
      const cookie = await signIn(service, 'phoebe')
      const send = async (path: string, body: object) => {
        const headers = { cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
        const response = await fetch(`${service.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
        return (await response.json()) as { factor_id: string; secret: string }
      }
      const addPhone = async () => {
        const { factor_id, secret } = await send('/me/factors/totp', {})
        await send(`/me/factors/totp/${factor_id}/confirm`, { code: codeOf(secret, Date.now()) })
        return factor_id
      }
      const one = await addPhone()
      await addPhone()
      const listed = await run('factors', 'list', 'phoebe')
      assert.match(listed.out, new RegExp(`^${one} +totp`, 'm'))
      assert.match(listed.err, /phoebe has 0 recovery codes\. A second factor is optional\./)
      assert.equal((await json('factors', 'remove', 'phoebe', one, '--yes')).removed, 1)
      assert.equal((await run('factors', 'remove', 'phoebe', one, '--yes')).code, 3)
      assert.equal((await run('factors', 'reset', 'phoebe')).code, 2, 'there is nobody to ask')
      assert.equal((await json('factors', 'reset', 'phoebe', '--dry-run', '--yes')).removed, 1)
      const { code, err } = await run('factors', 'reset', user_id, '--yes')
      assert.equal(code, 0, err)
      assert.match(err, /^Removed 1 factor of phoebe\.$/m)
      assert.deepEqual(await json('factors', 'list', 'phoebe'), [])
      assert.deepEqual(await json('factors', 'trusted', 'phoebe'), [])
      const unknown = '019a9f3e-0000-7000-8000-000000000000'
      const refused = await run('factors', 'untrust', 'phoebe', unknown, '--yes')
      assert.deepEqual([refused.code, refused.err.includes('no trusted browser with this id')], [3, true], refused.err)
    })

    await t.test(
      'webhooks: creates, changes, tests and deletes endpoints, redelivers, and explains a failure',
      async (t) => {
        const receiver = await startReceiver(t)
        const { url } = receiver
        const created = await json(
          'webhooks',
          'create',
          url,
          '--events',
          'user.created, session.*',
          '--description',
          'CRM',
        )
        assert.deepEqual([created.event_types, created.description], [['user.created', 'session.*'], 'CRM'])
        assert.match(created.secret, /^whsec_/)
        assert.equal((await json('webhooks', 'get', url)).endpoint_id, created.endpoint_id)
        assert.equal((await run('webhooks', 'create', url, '--events', 'moon.rises')).code, 1)
        assert.equal((await run('webhooks', 'update', url)).code, 2, 'nothing is to be changed')
        for (const [option, active] of [
          ['--disable', false],
          ['--enable', true],
          ['--deactivate', false],
          ['--activate', true],
        ] as const)
          assert.equal((await json('webhooks', 'update', url, option)).active, active, option)
        assert.equal((await run('webhooks', 'update', url, '--enable', '--disable')).code, 2)
        const changed = await json('webhooks', 'update', url, '--all-events', '--description', '')
        assert.deepEqual([changed.event_types, changed.description], [null, ''])

        const sent = await json('webhooks', 'test', url)
        await createUser(service, 'erin')
        const delivered = async () => (await json('webhooks', 'deliveries', url, '--status', 'delivered')) as unknown[]
        while ((await delivered()).length < 2) await sleep(20)
        assert.equal((await json('webhooks', 'deliveries', url, '--limit', '1')).length, 1)
        const detail = async () => json('webhooks', 'deliveries', url, sent.delivery_id)
        const { status, attempts } = await detail()
        assert.deepEqual([status, attempts.length > 0], ['delivered', true])
        await json('webhooks', 'redeliver', url, sent.delivery_id, '--dry-run')
        assert.equal((await detail()).attempts.length, attempts.length)
        await json('webhooks', 'redeliver', url, sent.delivery_id)
        while ((await detail()).attempts.length === attempts.length) await sleep(20)

        const { secret } = await json('webhooks', 'rotate-secret', url, '--revoke-previous')
        assert.notEqual(secret, created.secret)
        assert.equal((await run('webhooks', 'delete', url)).code, 2, 'there is nobody to ask')
        assert.equal((await json('webhooks', 'delete', url, '--yes')).deleted, true)

        const { url: failing } = await startReceiver(t, () => 503)
        await json('webhooks', 'create', failing, '--events', 'user.created')
        await createUser(service, 'frank')
        while ((await json('webhooks', 'get', failing)).failure === null) await sleep(20)
        const table = await run('webhooks', 'list', '--columns', 'url,failure')
        assert.match(
          table.out,
          /^http:\S+ {2}\d+ attempts? failed since \S+\. Last attempt at \S+: the receiver responded with status 503\.$/m,
        )
        await json('webhooks', 'delete', failing, '--yes')
        assert.deepEqual(await json('webhooks', 'list'), [])
        assert.equal((await run('webhooks', 'get', url)).code, 3)
      },
    )

    await t.test('branding: shows a logo as its size, and in JSON as it is', async () => {
      const logo = join(directory, 'logo.svg')
      writeFileSync(logo, '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>')
      const set = await run('branding', 'set', '--name', 'Acme Reports', '--logo', logo)
      assert.deepEqual([set.code, set.out.includes('base64')], [0, false], set.err)
      assert.match((await run('branding', 'get')).out, /^name +Acme Reports$/m)
      assert.match((await json('branding', 'get')).logo, /^data:image\/svg\+xml;base64,/)
      assert.equal((await run('organizations', 'create', 'Of branding')).code, 0)
      const own = ['--organization', 'of branding']
      assert.equal((await run('branding', 'set', '--name', 'Own', ...own)).code, 0)
      assert.deepEqual(
        [(await json('branding', 'get', ...own)).name, (await json('branding', 'get')).name],
        ['Own', 'Acme Reports'],
      )
      assert.equal((await run('branding', 'reset', '--yes', ...own)).code, 0)
      assert.equal((await json('branding', 'get', ...own)).name, null)
      assert.equal((await run('branding', 'reset', '--yes')).code, 0)
    })
    await t.test('statistics: shows figures for each day, and the number of users', async () => {
      const { totals } = (await (await service.call('GET', '/statistics?days=7')).json()) as { totals: object }
      const days = await json('statistics', 'days', '--days', '7')
      assert.deepEqual([days.length, days.at(-1).date], [7, new Date().toISOString().slice(0, 10)])
      assert.ok(days.at(-1).sign_ups > 0)
      assert.deepEqual(await json('statistics', 'totals'), totals)
      const table = await run('statistics', 'days', '--days', '2')
      assert.match(table.out, /^DATE +SIGN_UPS +SIGN_INS +FAILED_SIGN_INS +ACTIVE_USERS\n(.+\n){2}$/i, table.out)
      assert.equal((await run('statistics', 'days', '--days', '732')).code, 2)
    })

    await t.test('reviews: creates, decides by name, writes files, and closes', async () => {
      const id = await createUser(service, 'reviewed')
      await service.call('PATCH', `/users/${id}`, { role: 'admin' })
      await service.call('PATCH', `/users/${await createUser(service, 'deputy')}`, { role: 'admin' })
      const creating = [
        'reviews',
        'create',
        'Q4 2026',
        '--due',
        '2099-12-31',
        '--search',
        'reviewed',
        '--role',
        'admin',
      ]
      assert.equal((await json(...creating, '--dry-run')).row_count, 1)
      assert.deepEqual(await json('reviews', 'list'), [])
      const begun = await json(...creating, '--reviewer', 'deputy')
      assert.deepEqual([begun.row_count, begun.due_at, begun.reviewers.length], [1, '2099-12-31T23:59:59.999Z', 1])
      const decide = ['reviews', 'decide', 'q4 2026', 'reviewed']
      assert.equal((await run(...decide, '--keep')).code, 4, 'only the reviewer decides')
      await service.call('PATCH', `/reviews/${begun.review_id}`, { reviewers: [] })
      assert.equal((await run(...decide)).code, 2, 'neither --keep nor --remove')
      assert.equal((await run(...decide, '--remove')).code, 2, 'there is no terminal to ask on')
      assert.equal((await run('reviews', 'decide', 'Q4 2026', 'deputy', '--keep')).code, 3, 'not in the review')
      assert.equal((await json(...decide, '--remove', '--dry-run'))[0].state, 'removed')
      assert.match((await run('reviews', 'rows', 'Q4 2026', '--state', 'open')).out, /^reviewed +role +admin/m)
      assert.equal((await json(...decide, '--remove', '--comment', 'left', '--yes'))[0].state, 'removed')
      const page = join(directory, 'q4.html')
      assert.equal((await run('reviews', 'rows', begun.review_id, page)).code, 0)
      assert.match(readFileSync(page, 'utf8'), /<td>Removed<\/td>.*<td>left<\/td>/)
      assert.equal((await run('reviews', 'rows', 'Q4 2026', page)).code, 1, 'the file exists')
      assert.equal((await run('reviews', 'rows', 'Q4 2026', join(directory, 'q4'))).code, 2, 'which format')
      assert.match((await run('reviews', 'rows', 'Q4 2026', '--format', 'csv')).out, /^row_id,username.*\r\n.*,left,/)
      assert.equal((await json('reviews', 'close', 'Q4 2026', '--dry-run')).state, 'closed')
      assert.equal((await run('reviews', 'close', 'Q4 2026')).code, 2, 'there is no terminal to ask on')
      assert.match((await json('reviews', 'close', 'Q4 2026', '--yes')).digest, /^[0-9a-f]{64}$/)
      assert.equal((await run(...decide, '--keep')).code, 5, 'it is closed')
      assert.equal((await json('reviews', 'show', 'Q4 2026')).counts.removed, 1)
      assert.equal((await run('reviews', 'show', 'Q3')).code, 3)
    })

    await t.test(
      'say which setting a feature needs that the service has switched off, and so does their help',
      async () => {
        for (const command of ['list', 'approve', 'decline']) {
          const refused = await run(
            'access-requests',
            command,
            ...(command === 'list' ? [] : ['ada@example.com', '--yes']),
          )
          assert.equal(refused.code, 1, refused.err)
          assert.match(refused.err, /ROLLBOOK_ACCESS_REQUESTS=on switches them on.*\n.*docs\/configuration\.md/)
          assert.match((await run('access-requests', command, '--help')).out, /ROLLBOOK_ACCESS_REQUESTS=on/)
        }
      },
    )

    await t.test('roles and signing-keys: lists roles, and signs with a new key', async () => {
      assert.deepEqual(
        (await json('roles', 'list', '--columns', 'role')).map(({ role }: { role: string }) => role),
        ['admin', 'user'],
      )
      const [signing] = await json('signing-keys', 'list')
      const dry = await json('signing-keys', 'rotate', '--dry-run')
      assert.notEqual(dry.kid, signing.kid)
      assert.equal((await json('signing-keys', 'list')).length, 1)
      assert.equal((await run('signing-keys', 'rotate', '--revoke-previous')).code, 2, 'there is nobody to ask')
      await json('signing-keys', 'rotate', '--revoke-previous', '--yes')
      const after = (await json('signing-keys', 'list')) as { kid: string; state: string }[]
      assert.ok(!after.some(({ kid }) => kid === signing.kid))
    })
  })
})
