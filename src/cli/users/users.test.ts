import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Ended, runCommand } from '../../../test/command-process.ts'
import { makeDirectory, type Service, startService } from '../../../test/durability/process.ts'
import { adminKey } from '../../../test/harness.ts'
import type { User } from '../../sdk/client/index.ts'

const password = 'the very long engine of 1843'

type Beside = {
  service: Service
  directory: string
  env: Record<string, string>
  users: (...args: string[]) => Promise<Ended>
}

/** A service, and commands that use it. */
async function startBeside(t: TestContext, settings: Record<string, string> = {}): Promise<Beside> {
  const directory = makeDirectory(t)
  const service = await startService(t, { directory, env: settings })
  const env = { ROLLBOOK_URL: service.url, ROLLBOOK_API_KEY: adminKey, XDG_CONFIG_HOME: directory }
  return { service, directory, env, users: (...args) => runCommand(['users', ...args], env) }
}

async function create(service: Service, user: Record<string, string>): Promise<User> {
  const response = await service.call('POST', '/users', user)
  assert.equal(response.status, 201)
  return (await response.json()) as User
}

// All tests share a service. Each creates its own users, and the test of the last administrator comes last.
test('rollbook users', async (t) => {
  const { service, directory, env, users } = await startBeside(t)
  const read = async (user_id: string) => (await (await service.call('GET', `/users/${user_id}`)).json()) as User

  await t.test('creates a user with the given members, and shows the result', async () => {
    const { code, out, err } = await users(
      ...['create', 'ada', '--email', 'ada@example.com', '--first-name', 'Ada', '--last-name', 'Lovelace'],
      ...['--role', 'admin', '--external-id', 'hr-1815', '--json'],
    )
    assert.deepEqual([code, err], [0, 'Created ada.\n'])
    const body = JSON.parse(out) as User
    assert.deepEqual(await read(body.user_id), body)
    assert.deepEqual(
      [body.email, body.first_name, body.last_name, body.role, body.external_id, body.has_password],
      ['ada@example.com', 'Ada', 'Lovelace', 'admin', 'hr-1815', false],
    )
    assert.deepEqual(await users('show', 'ada'), await users('get', 'ada'))
    const tried = await users('create', 'augusta', '--dry-run', '--json')
    assert.deepEqual([tried.code, tried.err], [0, 'Nothing was created. The user would be as shown.\n'])
    assert.equal((await users('get', 'augusta')).code, 3)
  })

  await t.test('invites a user, prints the link where no message is sent, and lists who is invited', async () => {
    const { user_id } = await create(service, { username: 'guest', email: 'guest@example.com' })
    const dry = await users('invite', 'guest', '--dry-run')
    assert.deepEqual([dry.code, dry.err], [0, 'Nothing was changed. guest can be invited.\n'])
    assert.equal((await read(user_id)).invited, undefined)
    const { code, out, err } = await users('invite', 'guest', '--print-url', '--json')
    const { url, expires_at, sent } = JSON.parse(out)
    assert.deepEqual([code, sent], [0, false])
    assert.equal(err, `Hand over the link. It is not shown again, and works until ${expires_at}.\n`)
    assert.equal((await fetch(url)).status, 200)
    const listed = await users('list', '--invited', '--json', 'username')
    assert.deepEqual(JSON.parse(listed.out), [{ username: 'guest' }])
    const others = await users('list', '--not-invited', '--search', 'guest', '--json', 'username')
    assert.deepEqual(JSON.parse(others.out), [])
    assert.equal((await users('invite', 'nobody-at-all')).code, 3)
    const dryRun = await users('withdraw-invitation', 'guest', '--dry-run')
    assert.deepEqual([dryRun.code, (await fetch(url)).status], [0, 200], dryRun.err)
    const withdrawn = await users('withdraw-invitation', 'guest')
    assert.equal(withdrawn.err, 'The link to guest no longer works.\n')
    assert.deepEqual([(await fetch(url)).status, (await read(user_id)).invited], [410, undefined])
    assert.equal((await users('withdraw-invitation', 'guest')).err, 'guest was not invited.\n')
  })

  await t.test('creates a user with an address alone, invited, and lets a locked out user sign in again', async () => {
    const { code, out, err } = await users('create', '--email', 'Vera@example.com', '--invite', '--json')
    const { username, invited, url, expires_at } = JSON.parse(out)
    assert.deepEqual([code, username, (await fetch(url)).status], [0, 'Vera@example.com', 200], err)
    assert.equal(invited, true)
    assert.equal(
      err,
      `Created ${username}.\nHand over the link. It is not shown again, and works until ${expires_at}.\n`,
    )
    for (const wrong of [
      ['--first-name', 'Vera'],
      ['x', '--invite', '--kind', 'service'],
    ])
      assert.equal((await users('create', ...wrong)).code, 2, wrong.join(' '))

    await create(service, { username: 'clumsy', password })
    const signIn = () => service.call('POST', '/sessions', { username: 'clumsy', password: 'not this one' })
    while ((await signIn()).status !== 429);
    const unlocked = await users('unlock', 'clumsy', '--json')
    assert.deepEqual([unlocked.code, unlocked.err], [0, 'clumsy can sign in again.\n'])
    assert.deepEqual([JSON.parse(unlocked.out).waiting, JSON.parse(unlocked.out).failures], [[], 0])
  })

  await t.test('leaves service accounts out of the users found to invite, and refuses one who is named', async () => {
    await create(service, { username: 'printer', kind: 'service' })
    await create(service, { username: 'printer.repair' })
    const found = await users('invite', '--search', 'printer', '--yes')
    assert.deepEqual([found.code, found.err.match(/\d+ refused/)?.[0]], [0, '0 refused'], found.err)
    const named = await users('bulk', 'invite', 'printer', '--yes')
    assert.match(named.err, /user_is_service_account, for example printer: /)
    assert.notEqual(named.code, 0)
  })

  await t.test('invites several users, and prints their links where no message is sent', async () => {
    for (const username of ['crew.1', 'crew.2', 'crew.3']) await create(service, { username })
    const dry = await users('invite', '--search', 'crew.', '--dry-run')
    assert.equal(dry.code, 0, dry.err)
    assert.match(dry.err, /: 3 would be invited, 0 unchanged, 0 refused\.\nNothing was changed\.\n$/)
    const some = await users('invite', 'crew.1', 'crew.2', '--yes', '--output', 'csv')
    const lines = some.out.trimEnd().split('\r\n')
    assert.deepEqual([some.code, lines[0]], [0, 'user_id,username,verdict,code,detail,url,expires_at'], some.err)
    assert.match(lines[1] as string, /,crew\.1,changed,,,http:\S+\/invitation\/[\w-]{43},20/)
    assert.match(some.err, /\n2 links to hand over\. They are not shown again\.\n$/)
    const rest = await users('invite', '--search', 'crew.', '--yes', '--json', 'username')
    assert.deepEqual(JSON.parse(rest.out), [{ username: 'crew.3' }], rest.err)
    assert.match(rest.err, /1 invited, 2 unchanged, 0 refused/)
    const again = await users(
      'bulk',
      'invite',
      '--search',
      'crew.',
      '--resend',
      '--print-url',
      '--yes',
      '--json',
      'url',
    )
    assert.equal(new Set(JSON.parse(again.out).map(({ url }: { url: string }) => url)).size, 3)
    const wrong = await users('bulk', 'disable', 'crew.1', '--resend', '--yes')
    assert.deepEqual([wrong.code, wrong.err], [2, '--print-url and --resend are only for invite.\n'])
    assert.equal((await users('invite')).code, 2)
  })

  await t.test('creates a link for a new password, printed where no message is sent', async () => {
    await create(service, { username: 'forgetful', password })
    const dry = await users('reset-password', 'forgetful', '--dry-run')
    assert.deepEqual([dry.code, dry.err], [0, 'Nothing was changed. forgetful can get a link.\n'])
    const { code, out, err } = await users('reset-password', 'forgetful', '--print-url', '--json')
    const { url, expires_at } = JSON.parse(out)
    assert.deepEqual([code, (await fetch(url)).status], [0, 200])
    assert.equal(err, `Hand over the link. It is not shown again, and works until ${expires_at}.\n`)
  })

  await t.test('says in a sentence whether a user can sign in, and lists the locked ones', async () => {
    const bare = await create(service, { username: 'bare' })
    const { code, out, err } = await users('sign-in', 'bare')
    assert.deepEqual([code, out, err], [0, 'No. No password yet.\n', ''])
    const { cause, remedy } = JSON.parse((await users('sign-in', 'bare', '--json')).out)
    assert.deepEqual([cause, remedy], ['no_password', 'set_password'])
    assert.equal((await users('sign-in', 'nobody-here')).code, 3)
    const list = async (option: string) => (await users('list', option, '--json', '--columns', 'user_id')).out
    assert.doesNotMatch(await list('--locked'), new RegExp(bare.user_id))
    assert.match(await list('--not-locked'), new RegExp(bare.user_id))
  })

  await t.test('reads a password from standard input or a file, without one trailing newline', async () => {
    const file = join(directory, 'password')
    writeFileSync(file, `${password}\r\n`)
    const signIn = async (username: string) =>
      (
        await service.call(
          'POST',
          '/sessions',
          { username, password },
          { 'x-api-key': '', origin: new URL(service.url).origin },
        )
      ).status
    const [fromStdin, fromFile] = await Promise.all([
      runCommand(['users', 'create', 'stella', '--password-stdin'], env, `${password}\n`),
      runCommand(['users', 'create', 'fiona', '--password-file', file], env),
    ])
    assert.deepEqual([fromStdin.code, fromFile.code], [0, 0], fromStdin.err + fromFile.err)
    for (const { out, err } of [fromStdin, fromFile]) assert.ok(!`${out}${err}`.includes(password))
    assert.deepEqual([await signIn('stella'), await signIn('fiona')], [201, 201])
    const [empty, both, requested] = await Promise.all([
      runCommand(['users', 'update', 'stella', '--password-stdin'], env, '\n'),
      runCommand(['users', 'update', 'stella', '--password-stdin', '--password-file', file], env, 'x'),
      runCommand(['users', 'update', 'stella', '--ask-password'], env),
    ])
    assert.deepEqual([empty.code, both.code, requested.code], [2, 2, 2])
    assert.match(requested.err, /no terminal to ask on\. Give --password-stdin or --password-file\.\n$/)
    assert.equal(await signIn('stella'), 201)
  })

  await t.test('finds a user by id, username, email or external id, and exits with 3 if there is none', async () => {
    const grace = await create(service, { username: 'grace', email: 'hopper@example.com', external_id: 'hr-1906' })
    const ways = [[grace.user_id.toUpperCase()], ['GRACE'], ['Hopper@example.com'], ['hr-1906', '--by', 'external-id']]
    for (const { code, out, err } of await Promise.all(ways.map((way) => users('get', ...way, '-o', 'ndjson')))) {
      assert.deepEqual([code, out, err], [0, `${JSON.stringify(grace)}\n`, ''])
    }
    const unknown = ['unknown', 'unknown@example.com', '01890a5d-ac96-774b-bcce-b302099a8057']
    for (const [index, outcome] of (await Promise.all(unknown.map((text) => users('get', text)))).entries()) {
      assert.deepEqual(
        [outcome.code, outcome.out, outcome.err],
        [3, '', `There is no user ${unknown[index]}. rollbook users list shows all.\n`],
      )
    }
  })

  await t.test('lists the same members as the API in JSON, and the same bytes in CSV', async () => {
    const person = { username: 'csv-1', email: 'csv@example.com', first_name: '=1+1', last_name: 'a "b", c' }
    await create(service, person)
    await create(service, { username: 'csv-2', first_name: '👩‍💻 Zoë' })
    await create(service, { username: '+49', external_id: '@x' })
    await create(service, { username: 'robot', kind: 'service' })
    const expected = (await (await service.call('GET', '/users')).json()) as User[]
    const csv = await (await service.call('GET', '/users', undefined, { accept: 'text/csv' })).text()
    const [inJson, inNdjson, inCsv] = await Promise.all([
      users('list', '--json'),
      users('list', '--output', 'ndjson'),
      users('list', '--output', 'csv'),
    ])
    assert.deepEqual(JSON.parse(inJson.out), expected)
    assert.equal(inNdjson.out, expected.map((user) => `${JSON.stringify(user)}\n`).join(''))
    assert.equal(inCsv.out, csv)
    const [table, narrow, bare] = await Promise.all([
      users('list', '--search', 'csv'),
      users('list', '--search', 'csv', '--columns', 'username,user_id', '--json'),
      users('list', '--search', '+49', '--columns', 'username', '--no-header', '--output', 'csv'),
    ])
    const [heading, first, second] = table.out.split('\n')
    assert.equal(table.err, '')
    assert.match(heading ?? '', /^USER_ID {31}USERNAME {2}EMAIL {12}ROLE {2}STATE {3}LAST_LOGIN_AT$/)
    assert.match(first ?? '', /^\S{36} {2}csv-1 {5}csv@example\.com {2}user {2}Active$/)
    assert.match(second ?? '', /^\S{36} {2}csv-2 {22}user {2}Active$/)
    assert.deepEqual(JSON.parse(narrow.out)[0], { username: 'csv-1', user_id: first?.slice(0, 36) })
    assert.equal(bare.out, "'+49\r\n")
  })

  await t.test('filters, sorts and counts the list, which may be empty', async () => {
    for (const username of ['walk-a', 'walk-b', 'walk-c']) await create(service, { username, last_name: 'Walker' })
    await create(service, { username: 'walk-d', role: 'admin' })
    await service.call('PATCH', `/users/${(await create(service, { username: 'walk-e' })).user_id}`, { active: false })
    const names = async (...args: string[]) =>
      (await users('list', '--search', 'walk', '--no-header', '--columns', 'username', ...args)).out.replaceAll(
        '\n',
        ' ',
      )
    const lists: [string, string[]][] = [
      ['walk-e walk-d walk-c walk-b walk-a ', ['--sort', '-username']],
      ['walk-a walk-b ', ['--sort', 'username', '--limit', '2']],
      ['walk-e ', ['--inactive']],
      ['walk-a walk-b walk-c ', ['--active', '--role', 'user', '--created-after', '2020-01-01']],
      ['', ['--created-before', '2020-01-01T00:00:00+02:00']],
      ['walk-a walk-b walk-c walk-d walk-e ', ['--never-signed-in']],
      ['', ['--signed-in']],
      ['4 ', ['--count', '--role', 'user']],
      ['[] ', ['--role', 'nothing', '--json']],
    ]
    const found = await Promise.all(lists.map(([, args]) => names(...args)))
    assert.deepEqual(
      found,
      lists.map(([expected]) => expected),
    )
  })

  await t.test('changes the given members, and nothing in a dry run', async () => {
    const hedy = await create(service, { username: 'hedy', email: 'hedy@example.com', external_id: 'hr-1914' })
    const tried = await users('update', 'hedy', '--role', 'admin', '--dry-run', '--json')
    assert.deepEqual([tried.code, tried.err], [0, 'Nothing was changed. The user would be as shown.\n'])
    assert.equal(JSON.parse(tried.out).role, 'admin')
    assert.deepEqual(await read(hedy.user_id), hedy)
    const wish = ['--username', 'lamarr', '--clear-email', '--clear-external-id', '--last-name', 'Lamarr']
    const changed = await users('update', 'hedy@example.com', ...wish, '--disable', '--json')
    assert.deepEqual([changed.code, changed.err], [0, 'Changed lamarr.\n'])
    const { updated_at } = await read(hedy.user_id)
    const after = { username: 'lamarr', email: null, external_id: null, last_name: 'Lamarr', active: false }
    assert.deepEqual(JSON.parse(changed.out), { ...hedy, ...after, updated_at })
    const nothing = await users('update', 'lamarr')
    assert.deepEqual([nothing.code, nothing.out], [2, ''])
  })

  await t.test('deletes a user only after confirmation, and restores them by the former name', async () => {
    const rosa = await create(service, { username: 'rosa', email: 'rosa@example.com' })
    const unasked = await users('delete', 'rosa')
    assert.deepEqual([unasked.code, unasked.out], [2, ''])
    assert.match(unasked.err, /Give --yes to confirm\.\n$/)
    const tried = await users('delete', 'rosa', '--dry-run', '--json')
    assert.deepEqual([tried.code, JSON.parse(tried.out).deleted], [0, false])
    assert.deepEqual(await read(rosa.user_id), rosa)

    const deleted = await users('delete', 'rosa', '--yes', '--json')
    assert.deepEqual([deleted.code, JSON.parse(deleted.out).deleted], [0, true])
    assert.match(
      deleted.err,
      /^Deleted rosa \(rosa@example\.com\)\.\nYou can restore the user until \S+: rollbook users restore \S+\n$/,
    )
    const listed = JSON.parse((await users('deleted', '--json')).out)
    assert.deepEqual([listed.length, listed[0].user_id, 'restorable_until' in listed[0]], [1, rosa.user_id, true])
    const restored = await users('restore', 'ROSA@example.com', '--quiet', '--output', 'ndjson')
    assert.deepEqual([restored.code, restored.err, JSON.parse(restored.out).user_id], [0, '', rosa.user_id])
    assert.equal((await users('delete', rosa.user_id, '--purge', '--yes')).code, 0)
    const [byName, byId] = await Promise.all([users('restore', 'rosa'), users('restore', rosa.user_id)])
    assert.deepEqual([byName.code, byId.code], [3, 3])
  })

  await t.test("exits with the code for the API's refusal", async () => {
    const created = await service.call('POST', '/keys', { name: 'reader', permissions: ['users:read'] })
    const { key } = (await created.json()) as { key: string }
    for (const name of ['walk-d', 'ada']) await users('update', name, '--role', name === 'ada' ? 'admin' : 'user')
    const withKey = (ROLLBOOK_API_KEY: string, ...args: string[]) =>
      runCommand(['users', ...args], { ...env, ROLLBOOK_API_KEY })
    const [refused, allowed] = await Promise.all([
      Promise.all([
        users('create', 'ADA'),
        withKey(key, 'create', 'new'),
        withKey('no-key-of-ours-but-long-enough-for-one', 'list'),
        users('delete', 'ada', '--yes'),
        users('create', 'a b'),
      ]),
      withKey(key, 'list'),
    ])
    assert.equal(allowed.code, 0)
    const codes = ['username_taken', 'permission_denied', 'credential_invalid', 'last_admin', 'validation_failed']
    for (const [index, { out, err }] of refused.entries()) {
      assert.equal(out, '')
      assert.match(err, new RegExp(`^[^\\n]+\\(${codes[index]}\\)\n`))
      assert.doesNotMatch(err, /^\s+at /m)
    }
    assert.deepEqual(
      refused.map(({ code }) => code),
      [5, 4, 4, 5, 1],
    )
  })
})

test('rollbook users changes and deletes if the service requires If-Match', async (t) => {
  const { service, users } = await startBeside(t, { ROLLBOOK_REQUIRE_IF_MATCH: 'true' })
  await create(service, { username: 'ada' })
  const changed = await users('update', 'ada', '--first-name', 'Ada')
  const deleted = await users('delete', 'ada', '--yes')
  assert.deepEqual([changed.code, deleted.code], [0, 0], changed.err + deleted.err)
})

test('rollbook users finds the server of this machine and its key by the settings of that server', async (t) => {
  const directory = makeDirectory(t)
  const service = await startService(t, { directory, env: { ROLLBOOK_ADMIN_KEY: '' } })
  const env = { ROLLBOOK_PORT: new URL(service.url).port, ROLLBOOK_DATA_DIR: directory, XDG_CONFIG_HOME: directory }
  const { code, err } = await runCommand(['users', 'create', 'ada'], env)
  assert.deepEqual([code, err], [0, 'Created ada.\n'])
  const byName = await runCommand(['users', 'list', '--count'], {
    ...env,
    ROLLBOOK_URL: service.url.replace('127.0.0.1', 'localhost'),
  })
  assert.equal(byName.out, '1\n', byName.err)
  // A server on another port did not create the key.
  const other = await runCommand(['users', 'list'], { ...env, ROLLBOOK_PORT: '9', ROLLBOOK_URL: service.url })
  assert.equal(other.code, 4)
})
