import assert from 'node:assert/strict'
import { chmodSync, closeSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { runCommand } from '../../../test/command-process.ts'
import { makeDirectory, makePlace, type Place, startService } from '../../../test/durability/process.ts'
import { adminKey, anyEngine, type Engine, engines } from '../../../test/harness.ts'
import { eventually } from '../../../test/webhooks/dispatching.ts'
import type { Finding, Group } from '../../operations/doctor/finding.ts'

type Report = { ok: boolean; counts: Record<string, number>; findings: Finding[] }

/** Runs the doctor with the environment of the service, as the docs recommend. */
async function look({ directory, env }: Pick<Place, 'directory' | 'env'>, ...args: string[]) {
  const { code, out, err } = await runCommand(['doctor', '--json', ...args], {
    ROLLBOOK_ADMIN_KEY: adminKey,
    ROLLBOOK_DATA_DIR: directory,
    HOME: directory,
    ...env,
  })
  assert.match(out, /^\{/, err)
  const report = JSON.parse(out) as Report
  assert.equal(code, report.ok ? 0 : 1)
  assert.equal(report.ok, report.counts.failed === 0)
  const failed = report.findings.filter(({ status }) => status === 'failed')
  for (const { advice } of failed) assert.ok(advice)
  return { ...report, failed, err }
}

async function served(t: TestContext, engine: Engine) {
  const place = await makePlace(t, engine)
  return { place, service: await startService(t, place) }
}

for (const engine of engines) {
  const isSqlite = engine.name === 'SQLite'
  describe(`rollbook doctor of a machine on ${engine.name}`, () => {
    it('finds nothing wrong with a service that was just started and is running', async (t) => {
      const { place } = await served(t, engine)
      const { failed, findings, err } = await look(place)
      assert.deepEqual(failed, [])
      const groups = new Set<Group>(findings.map(({ group }) => group))
      const expected = isSqlite
        ? ['configuration', 'storage', 'disk', 'files', 'clock', 'mail']
        : ['configuration', 'storage', 'clock', 'mail']
      assert.deepEqual([...groups].sort(), expected.sort())
      assert.match(err, /^0 failed, \d+ warnings?\.$/m)
    })

    it('finds roles and groups of the policy of second factors that do not exist, and so does the start', async (t) => {
      const { place, service } = await served(t, engine)
      assert.equal((await service.call('POST', '/groups', { name: 'Staff' })).status, 201)
      const inactivity = { '*': { days: 90, notice_days: 14 } }
      assert.equal((await service.call('PATCH', '/policies', { inactivity })).status, 200)
      await service.end('SIGTERM')
      const stop = '{"stopped_at": "2026-11-30T00:00:00.000Z", "users": 12, "active_users": 20, "confirmed_at": null}'
      await place.runSql(`INSERT INTO journal_state (name, value) VALUES ('inactivity_stop', '${stop}')`)
      const policy = { admin: 'required', admim: 'required', 'group:staff': 'required', 'group:Staf': 'required' }
      const env = { ...place.env, ROLLBOOK_SECOND_FACTOR: JSON.stringify(policy) }
      const { findings } = await look({ ...place, env }, '--only', 'storage')
      const found = findings.find(({ check }) => check === 'second factor')
      assert.match(findings.find(({ check }) => check === 'inactivity')?.found ?? '', /would disable 12 users/)
      assert.deepEqual(
        [found?.status, found?.found],
        ['warning', 'ROLLBOOK_SECOND_FACTOR names what does not exist: admim, group:Staf'],
      )
      const started = await startService(t, { ...place, env })
      assert.equal((await started.call('POST', '/groups', { name: 'Staf' })).status, 201)
      await started.end('SIGTERM')
      const line = started
        .log()
        .split('\n')
        .find((text) => text.includes('ROLLBOOK_SECOND_FACTOR'))
      assert.deepEqual(JSON.parse(line ?? '{}').unknown, ['admim', 'group:Staf'])

      const right = { ...env, ROLLBOOK_SECOND_FACTOR: '{"admin":"required","group:Staf":"required"}' }
      const fine = (await look({ ...place, env: right }, '--only', 'storage')).findings.find(
        ({ check }) => check === 'second factor',
      )
      assert.equal(fine?.status, 'ok')
      const silent = await startService(t, { ...place, env: right })
      await silent.end('SIGTERM')
      assert.ok(silent.log().includes('listening') && !silent.log().includes('ROLLBOOK_SECOND_FACTOR'))
    })

    it('counts the passkeys of each domain, and those that no longer work', async (t) => {
      const { place, service } = await served(t, engine)
      await service.end('SIGTERM')
      const row = (n: number, user: number) =>
        `('0190a0a0-0000-7000-8000-00000000000${n}', '0190a0a0-0000-7000-8000-00000000001${user}', 'passkey', 'x', '', 0, 0, ` +
        `'2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', 'id${n}', 'key', 'orchard.example')`
      await place.runSql(
        'INSERT INTO factors (factor_id, user_id, kind, name, secret, sealed, last_step, created_at, confirmed_at, ' +
          `credential_id, public_key, rp_id) VALUES ${row(1, 1)}, ${row(2, 1)}, ${row(3, 2)}`,
      )
      const find = async (env: Record<string, string>) => {
        const { findings } = await look({ ...place, env: { ...place.env, ...env } }, '--only', 'storage')
        const { status, found, advice } = findings.find(({ check }) => check === 'passkeys') ?? assert.fail()
        return [status, found, advice] as const
      }
      const moved = { ROLLBOOK_PUBLIC_URL: 'https://pear.example/auth' }
      const [status, found, advice] = await find(moved)
      assert.deepEqual(
        [status, found],
        ['failed', 'passkeys of a domain that is not listed: orchard.example: 3 (users: 2)'],
      )
      assert.match(String(advice), /ROLLBOOK_PASSKEY_RP_ID=pear\.example,orchard\.example/)
      assert.deepEqual((await find({ ...moved, ROLLBOOK_PASSKEY_RP_ID: 'pear.example,orchard.example' }))[0], 'warning')
      assert.deepEqual(
        await find({
          ROLLBOOK_PUBLIC_URL: 'https://id.orchard.example/auth',
          ROLLBOOK_PASSKEY_RP_ID: 'orchard.example',
        }),
        ['ok', 'by domain: orchard.example: 3 (users: 2)', null],
      )
    })

    it('names users who share an address in two forms after an upgrade, as the log does, and what ends that', async (t) => {
      const { place, service } = await served(t, engine)
      const create = async (username: string, email: string) => {
        const response = await service.call('POST', '/users', { username, email })
        return String(((await response.json()) as { user_id: string }).user_id)
      }
      const [ada, bob] = [await create('ada', 'ada@bücher.example'), await create('bob', 'bob@bücher.example')]
      const others: string[] = []
      for (let n = 0; n < 12; n++) others.push(await create(`cy${n}`, `cy${n}@example.com`))
      await service.end('SIGTERM')
      const rename = (id: string | undefined, key: string) =>
        place.runSql(`UPDATE users SET email_key = '${key}', email = '${key}' WHERE user_id = '${id}'`)
      await rename(others[0], 'ada@xn--bcher-kva.example')
      await rename(others[1], 'alone@xn--bcher-kva.example')
      await place.runSql(`UPDATE users SET username_key = 'bob@xn--bcher-kva.example' WHERE user_id = '${others[2]}'`)
      await place.runSql("DELETE FROM migrations WHERE name = '0047-one-domain-form'")
      const names = async () => (await look(place, '--only', 'storage')).findings.find(({ check }) => check === 'names')

      const started = await startService(t, place)
      const warned = () =>
        started
          .log()
          .split('\n')
          .find((line) => line.includes('rollbook doctor') && line.endsWith('}'))
      await eventually('the warning', () => warned() !== undefined)
      assert.equal(JSON.parse(warned() as string).count, 2)
      const found = await names()
      assert.equal(found?.status, 'warning')
      assert.equal(
        found?.found,
        `users who are not found by their username or address: 2: ${others[0]} (${ada} is found); ${others[2]} (${bob} is found)`,
      )
      for (const [id, body] of [
        [ada, { email: 'other@example.com' }],
        [others[0], { email: 'ada@xn--bcher-kva.example' }],
        [others[2], { username: 'cy2' }],
      ] as const) {
        assert.equal((await started.call('PATCH', `/users/${id}`, body)).status, 200)
      }
      assert.deepEqual((await names())?.status, 'ok')
      const now = await (await started.call('GET', '/users?email=ada%40b%C3%BCcher.example')).json()
      assert.deepEqual(
        (now as { user_id: string }[]).map(({ user_id }) => user_id),
        [others[0]],
      )

      await started.end('SIGTERM')
      for (const [n, id] of others.entries()) await rename(id, `cy${n}@xn--bcher-kva.example`)
      assert.match((await names())?.found ?? '', / 12: .*; and 2 more$/)
    })

    it('names users who share a unique email attribute in two forms, until one has another', async (t) => {
      const { place, service } = await served(t, engine)
      await service.call('POST', '/attributes', { name: 'work', label: 'Work', type: 'email', unique: true })
      await service.call('POST', '/attributes', { name: 'home', label: 'Home', type: 'email', searchable: true })
      const create = async (username: string, work: string) => {
        const attributes = { work, home: 'both@xn--bcher-kva.example' }
        const response = await service.call('POST', '/users', { username, attributes })
        return String(((await response.json()) as { user_id: string }).user_id)
      }
      const [ada, bob] = [await create('ada', 'ada@bücher.example'), await create('bob', 'bob@example.com')]
      await service.end('SIGTERM')
      await place.runSql(
        `UPDATE attribute_values SET value_key = 'ada@xn--bcher-kva.example' WHERE user_id = '${bob}' AND attribute = 'work'`,
      )
      for (const column of ['attributes', 'document']) {
        await place.runSql(
          `UPDATE users SET ${column} = replace(${column}, 'bob@example.com', 'ada@xn--bcher-kva.example') WHERE user_id = '${bob}'`,
        )
      }
      const check = async () => {
        const { findings } = await look(place, '--only', 'storage')
        return findings.find((finding) => finding.check === 'attributes') ?? assert.fail()
      }
      const { status, found, advice } = await check()
      assert.deepEqual(
        [status, found],
        ['warning', `users who share a unique email attribute: 1: work of ${bob} (${ada} is found)`],
      )
      assert.match(String(advice), /remove the value of the other and set it again/)

      const again = await startService(t, place)
      for (const [id, work] of [
        [ada, 'ada@example.com'],
        [bob, null],
        [bob, 'ada@xn--bcher-kva.example'],
      ]) {
        assert.equal((await again.call('PATCH', `/users/${id}`, { attributes: { work } })).status, 200)
      }
      assert.equal((await check()).status, 'ok')
      const now = await (await again.call('GET', '/users?attributes.work=ada%40b%C3%BCcher.example')).json()
      assert.deepEqual(
        (now as { user_id: string }[]).map(({ user_id }) => user_id),
        [bob],
      )
    })

    it('finds a clock that was ahead, a store without administrators, and a store of another release', async (t) => {
      const { place, service } = await served(t, engine)
      const late = {
        username: 'late',
        password: 'seven grey herons over the weir',
        role: 'admin',
        expires_at: '2020-01-01T00:00:00Z',
      }
      assert.equal((await service.call('POST', '/users', late)).status, 201)
      await service.call('GET', '/audit') // All records are in the chain now.
      await service.end('SIGTERM')
      await place.runSql("UPDATE audit_records SET occurred_at = '2099-01-01T00:00:00.000Z'")
      await place.runSql('DELETE FROM api_keys')
      const { failed, findings } = await look({ ...place, env: { ...place.env, ROLLBOOK_ADMIN_KEY: '' } })
      assert.deepEqual(
        failed.map(({ check }) => check),
        ['this clock'],
      )
      const administrators = findings.find(({ check }) => check === 'administrators')
      assert.equal(administrators?.status, 'warning')
      assert.match(administrators?.found ?? '', /administrators with a password: 0$/)
      assert.match(administrators?.advice ?? '', /^Run rollbook admin reset /)

      const newest = (await place.runSql('SELECT max(name) AS name FROM migrations'))[0]?.name
      await place.runSql(`DELETE FROM migrations WHERE name = '${newest}'`)
      const earlier = (await look(place, '--only', 'storage')).findings.find(({ check }) => check === 'schema')
      assert.deepEqual(
        [earlier?.status, earlier?.found],
        ['warning', `from an earlier release; missing migrations: ${newest}`],
      )
      await place.runSql("INSERT INTO migrations VALUES ('9999-later', '2099-01-01T00:00:00.000Z', '9999-later')")
      assert.deepEqual(
        (await look(place, '--only', 'storage')).failed.map(({ check, found }) => [check, found]),
        [['schema', 'the store belongs to a newer release (9999-later)']],
      )
    })
  })
}

describe('rollbook doctor of a machine', () => {
  const engine = anyEngine

  it('finds files that others can read', async (t) => {
    const { place } = await served(t, engine)
    const { directory } = place
    const [file, secret] = [join(directory, 'rollbook.db'), join(makeDirectory(t), 'secret')]
    chmodSync(directory, 0o755)
    chmodSync(file, 0o644)
    writeFileSync(secret, 'x'.repeat(32))
    chmodSync(secret, 0o644)
    const env = { ROLLBOOK_KEY_ENCRYPTION_SECRET_FILE: secret }
    const { failed, findings } = await look({ directory, env }, '--only', 'files')
    assert.deepEqual(
      failed.map(({ found, advice }) => [found, advice]),
      [[`${file} is open to others (644)`, `chmod 600 ${file}`]],
    )
    assert.deepEqual(
      findings.filter(({ status }) => status === 'warning').map(({ check }) => check),
      ['data directory', 'ROLLBOOK_KEY_ENCRYPTION_SECRET_FILE'],
    )
  })

  it('finds a damaged store, and a file that is not a store', async (t) => {
    const { place, service } = await served(t, engine)
    for (let n = 0; n < 20; n++) await service.call('POST', '/users', { username: `user-${n}` })
    await service.end('SIGTERM')
    const file = join(place.directory, 'rollbook.db')
    const whole = readFileSync(file)
    const handle = openSync(file, 'r+')
    // From the second page on, so that the file still looks like a database.
    for (let at = 4096; at < whole.length; at += 4096) writeSync(handle, Buffer.alloc(512, 0x55), 0, 512, at)
    closeSync(handle)
    const damaged = await look(place, '--only', 'storage')
    assert.deepEqual(
      damaged.failed.map(({ check }) => check),
      ['store'],
    )
    assert.match(damaged.failed[0]?.found ?? '', / is damaged: /)
    writeFileSync(file, 'no database at all, but a text of more than a hundred bytes'.repeat(3))
    assert.match(
      (await look(place, '--only', 'storage')).failed[0]?.found ?? '',
      /rollbook\.db is not a SQLite database/,
    )
  })

  it('finds an index that lacks a row only with --thorough', async (t) => {
    const { place, service } = await served(t, engine)
    for (let n = 0; n < 20; n++) await service.call('POST', '/users', { username: `user-${n}` })
    await service.end('SIGTERM')
    assert.ok((await look(place, '--only', 'storage', '--thorough')).failed.length === 0)
    const database = new DatabaseSync(join(place.directory, 'rollbook.db'))
    database.enableDefensive(false)
    const [index] = database
      .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'users' AND sql IS NOT NULL")
      .all() as { name: string; sql: string }[]
    // The index covers fewer rows while a user is added, and then all of them again.
    const write = (text: string) =>
      database.exec(`PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET sql = '${text.replaceAll("'", "''")}' WHERE name = '${index?.name}';
        PRAGMA writable_schema = RESET`)
    const whole = String(index?.sql)
    write(`${whole}${whole.includes('WHERE') ? ' AND' : ' WHERE'} row_id < 0`)
    database.exec("UPDATE users SET user_id = user_id || 'x', username_key = username_key || 'x', email = NULL")
    write(whole)
    database.close()
    assert.equal((await look(place, '--only', 'storage')).failed.length, 0)
    const [found] = (await look(place, '--only', 'storage', '--thorough')).failed
    assert.match(found?.found ?? '', /is damaged: /)
  })

  it('reports every fault of the configuration, and unusual settings', async (t) => {
    const directory = makeDirectory(t)
    const faulty = await look({ directory, env: { ROLLBOOK_PORT: 'eighty', ROLLBOOK_HOSTS: 'x' } })
    assert.deepEqual(
      faulty.failed.map(({ check, found }) => [check, found.split(' ', 1)[0]]),
      [
        ['settings', 'ROLLBOOK_HOSTS'],
        ['settings', 'ROLLBOOK_PORT'],
      ],
    )
    const env = {
      ROLLBOOK_HOST: '0.0.0.0',
      ROLLBOOK_TRUSTED_PROXIES: '0.0.0.0/0',
      ROLLBOOK_API_KEY_IN_QUERY: 'true',
      ROLLBOOK_SESSION_SECONDS: '3600',
      ROLLBOOK_SESSION_IDLE_SECONDS: '7200',
      ROLLBOOK_MAIL_LOCALE: 'fr',
      ROLLBOOK_METRICS_HOST: '192.0.2.1',
      ROLLBOOK_METRICS_PORT: '0',
    }
    const doubtful = await look({ directory, env }, '--only', 'configuration')
    const bad = doubtful.findings.filter(({ status }) => status !== 'ok').map(({ check, status }) => [check, status])
    assert.deepEqual(bad, [
      ['settings', 'failed'],
      ['settings', 'failed'],
      ['settings', 'warning'],
      ['public URL', 'warning'],
      ['trusted proxies', 'failed'],
      ['encryption secret', 'warning'],
      ['keys in addresses', 'warning'],
    ])
  })

  it('names what prevents the start, and leaves the directory of a stopped service as it was', async (t) => {
    const { place, service } = await served(t, engine)
    await service.end('SIGTERM')
    const before = readdirSync(place.directory)
    const other = { ROLLBOOK_KEY_ENCRYPTION_SECRET: 'o'.repeat(32) }
    const sealed = await startService(t, {
      ...place,
      env: { ...place.env, ROLLBOOK_KEY_ENCRYPTION_SECRET: 's'.repeat(32) },
    })
    await sealed.end('SIGTERM')
    for (const env of [{}, other]) {
      const { failed, findings } = await look({ ...place, env: { ...place.env, ...env } })
      assert.deepEqual(
        failed.map(({ check }) => check),
        ['encrypted secrets'],
      )
      assert.ok(!findings.some(({ check, status }) => status === 'ok' && check.includes('secret')))
    }
    const env = { HOME: place.directory, ROLLBOOK_DATA_DIR: place.directory }
    assert.equal((await runCommand(['audit', 'verify'], env)).code, 0)
    assert.equal((await runCommand(['backup', '--to', join(makeDirectory(t), 'backup.db')], env)).code, 0)
    assert.deepEqual(
      readdirSync(place.directory).filter((name) => name !== 'last-backup'),
      before,
    )
  })

  it('prints advice below each finding', async (t) => {
    const directory = makeDirectory(t)
    const { code, out, err } = await runCommand(['doctor', '--only', 'storage'], { ROLLBOOK_DATA_DIR: directory })
    assert.deepEqual([code, err], [0, '0 failed, 1 warning.\n'])
    const expected = `Storage
  warning  store  there is no store yet: ${directory}/rollbook.db does not exist
                  → If the service has run before, it uses another directory. Run this with its environment, or set --data-dir.
`
    assert.equal(out, expected)
    assert.equal((await runCommand(['doctor', '--only', 'deployment'])).code, 2)
    assert.equal((await runCommand(['doctor', '--only', 'everything'])).code, 2)
  })
})
