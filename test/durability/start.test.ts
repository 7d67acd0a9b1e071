import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import pg from 'pg'
import { runCommand } from '../command-process.ts'
import { adminKey, engines } from '../harness.ts'
import { type FreshSchema, postgresIsMissing } from '../postgres.ts'
import { makeDirectory, makePlace, runService, type Service, startService } from './process.ts'

async function withAdmin<T>(url: string, work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client(url)
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.end()
  }
}

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

for (const engine of engines) {
  describe(`starting the service on ${engine.name}`, () => {
    it('creates a store in an empty directory, and continues with it at the next start', async (t) => {
      const place = await makePlace(t, engine, { migrates: true })
      const service = { ...place, directory: join(place.directory, 'not', 'there', 'yet') }
      const first = await startService(t, service)
      const create = (service: Service) =>
        service.call('POST', '/users', { username: 'ada' }, { 'idempotency-key': 'the-first-of-all' })
      const created = await create(first)
      assert.equal(created.status, 201)
      const user = await created.json()
      assert.deepEqual(await first.end('SIGTERM'), { code: 0, signal: null })

      const second = await startService(t, service)
      assert.deepEqual(await (await second.call('GET', '/users')).json(), [user])
      const repeated = await create(second)
      assert.deepEqual([repeated.status, await repeated.json()], [201, user])
      assert.equal(repeated.headers.get('idempotency-replayed'), 'true')
      const next = (await (await second.call('POST', '/users', { username: 'bob' })).json()) as { user_id: string }
      assert.ok(next.user_id > (user as { user_id: string }).user_id)
    })

    it('is refused on a store that a newer release has migrated, with the reason and no more', async (t) => {
      const place = await makePlace(t, engine)
      await (await startService(t, place)).end('SIGTERM')
      const future = "'9999-from-the-future', '2036-01-01T00:00:00.000Z', '9999-from-the-future'"
      await place.runSql(`INSERT INTO migrations (name, applied_at, needs) VALUES (${future})`)
      const { code, errors } = await runService(place)
      assert.equal(code, 1)
      assert.equal(
        errors.trim(),
        'The store was migrated by a newer release (9999-from-the-future); start that release instead.',
      )
    })

    it('writes the admin key neither to the log nor, without a terminal, anywhere but its file', async (t) => {
      const place = await makePlace(t, engine)
      const service = await startService(t, { ...place, env: { ...place.env, ROLLBOOK_ADMIN_KEY: '' } })
      const key = readFileSync(join(place.directory, 'admin-key'), 'utf8').trim()
      assert.equal((await service.call('GET', '/users', undefined, { 'x-api-key': key })).status, 200)
      assert.equal((await service.call('GET', '/users', undefined, { 'x-api-key': adminKey })).status, 401)
      await service.end('SIGTERM')
      assert.ok(!service.errors().includes(key))
      assert.ok(!service.log().includes(key) && service.log().includes('"status":200'))
      if (place.database) assert.ok(!service.log().includes(new URL(place.database.url).password))
    })
  })
}

describe('starting the service on a SQLite directory', () => {
  it('creates files that no other user can read, whatever the umask and the directory were', async (t) => {
    const directory = join(makeDirectory(t), 'data')
    mkdirSync(directory)
    chmodSync(directory, 0o755)
    const through = ['sh', '-c', 'umask 0; exec "$@"', 'sh']
    const service = await startService(t, { directory, through, env: { ROLLBOOK_ADMIN_KEY: '' } })
    const key = readFileSync(join(directory, 'admin-key'), 'utf8').trim()
    await service.call('POST', '/users', { username: 'ada' }, { 'x-api-key': key })
    assert.equal(modeOf(directory), '700')
    const files = readdirSync(directory)
    assert.ok(files.includes('rollbook.db') && files.includes('rollbook.db-wal') && files.includes('admin-key'))
    for (const file of files) assert.equal(modeOf(join(directory, file)), '600', file)
  })

  it('is refused on a directory that another process serves, which continues', async (t) => {
    const directory = makeDirectory(t)
    const first = await startService(t, { directory })
    const { code, errors } = await runService({ directory })
    assert.equal(code, 1)
    assert.match(
      errors,
      new RegExp(`^The data directory ${directory} is in use by another Rollbook \\(process ${first.pid}\\)`),
    )
    assert.doesNotMatch(errors, /^\s+at /m)
    assert.equal((await first.call('POST', '/users', { username: 'ada' })).status, 201)
    await first.end('SIGKILL')
    const next = await startService(t, { directory })
    assert.equal(((await (await next.call('GET', '/users')).json()) as unknown[]).length, 1)
  })

  it('is refused on a file that is not a database, which is not changed', async (t) => {
    const directory = makeDirectory(t)
    const path = join(directory, 'rollbook.db')
    const text = 'Dear diary, today I was mistaken for a database. '.repeat(100)
    writeFileSync(path, text)
    const { code, errors } = await runService({ directory })
    assert.equal(code, 1)
    assert.match(errors, /not a SQLite database/)
    assert.doesNotMatch(errors, /^\s+at /m)
    assert.equal(readFileSync(path, 'utf8'), text)
  })
})

describe('starting the service', () => {
  it('is refused with every fault of the configuration, and creates nothing', async (t) => {
    const directory = join(makeDirectory(t), 'data')
    const { code, errors } = await runService({
      directory,
      env: { ROLLBOOK_PORT: 'http', ROLLBOOK_ADMIN_KEY: 'short' },
    })
    assert.equal(code, 78)
    assert.match(errors, /ROLLBOOK_PORT must be/)
    assert.match(errors, /ROLLBOOK_ADMIN_KEY must be/)
    assert.equal(existsSync(directory), false)
  })

  it('is refused with every fault of the templates of messages, and creates nothing', async (t) => {
    const directory = join(makeDirectory(t), 'data')
    const templates = makeDirectory(t)
    writeFileSync(join(templates, 'invitation.fr.txt'), 'Subject: Bienvenue')
    const { code, errors } = await runService({ directory, env: { ROLLBOOK_MAIL_TEMPLATES: templates } })
    assert.equal(code, 78)
    assert.match(errors, /invitation\.fr\.txt has no text below its subject\.\n.*needs exactly one line/)
    assert.equal(existsSync(directory), false)
  })

  const settingAtFault: [setting: string, env: Record<string, string>][] = [
    ['ROLLBOOK_BASE_PATH', { ROLLBOOK_UPSTREAM: 'http://127.0.0.1:3000', ROLLBOOK_BASE_PATH: '/' }],
    ['ROLLBOOK_MAIL_TEMPLATES', { ROLLBOOK_MAIL_TEMPLATES: '/missing' }],
    ['ROLLBOOK_MAIL_LOCALE', { ROLLBOOK_MAIL_LOCALE: 'fr' }],
    [
      'ROLLBOOK_DATABASE_URL',
      { ROLLBOOK_DATABASE_URL: 'postgres://ada@127.0.0.1/a?sslmode=require&sslrootcert=/missing' },
    ],
    ['ROLLBOOK_HOST', { ROLLBOOK_HOST: '192.0.2.1' }],
    ['ROLLBOOK_HOST', { ROLLBOOK_HOST: 'nobody.invalid' }],
    ['ROLLBOOK_METRICS_HOST', { ROLLBOOK_METRICS_HOST: '192.0.2.1', ROLLBOOK_METRICS_PORT: '0' }],
    ['ROLLBOOK_DATA_DIR', { ROLLBOOK_DATA_DIR: '/dev/null' }],
    [
      'ROLLBOOK_PASSKEY_RP_ID',
      { ROLLBOOK_PASSKEY_RP_ID: 'pear.example', ROLLBOOK_PUBLIC_URL: 'https://orchard.example/auth' },
    ],
  ]
  for (const [setting, env] of settingAtFault) {
    it(`exits with status 78 and names ${setting} (${Object.values(env).at(0)})`, async (t) => {
      const { code, errors } = await runService({ directory: join(makeDirectory(t), 'data'), env })
      assert.deepEqual([code, errors.includes(setting)], [78, true], errors)
      assert.doesNotMatch(errors, /^\s+at /m)
    })
  }
})

describe('starting the service if the database refuses the connection', { skip: postgresIsMissing }, () => {
  it('is refused, without a word of the password', async (t) => {
    const place = await makePlace(t, { name: 'PostgreSQL' })
    const url = new URL(place.env.ROLLBOOK_DATABASE_URL as string)
    url.password = 'canary'
    const { code, errors } = await runService({ ...place, env: { ...place.env, ROLLBOOK_DATABASE_URL: url.href } })
    assert.equal(code, 78)
    assert.match(
      errors,
      new RegExp(
        `^The database \\w+ on ${url.host} refuses the connection: password authentication failed.*ROLLBOOK_DATABASE_URL`,
      ),
    )
    assert.doesNotMatch(errors, /canary|^\s+at /m)
  })

  it('says which right the role lacks, and that a database does not exist', async (t) => {
    const place = await makePlace(t, { name: 'PostgreSQL' }, { migrates: true })
    const { adminUrl, role, schema } = place.database as FreshSchema
    const runAt = (changes: Record<string, string>) => runService({ ...place, env: { ...place.env, ...changes } })
    const missing = new URL(place.env.ROLLBOOK_DATABASE_URL as string)
    missing.pathname = 'nothing_here'
    const absent = await runAt({ ROLLBOOK_DATABASE_URL: missing.href })
    assert.equal(absent.code, 78)
    assert.match(absent.errors, /database "nothing_here" does not exist\. Create the database, or correct its name/)
    await withAdmin(adminUrl, (admin) => admin.query(`ALTER SCHEMA ${schema} OWNER TO postgres`))
    await withAdmin(adminUrl, (admin) => admin.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`))
    const refused = await runAt({})
    assert.equal(refused.code, 1)
    assert.match(
      refused.errors,
      new RegExp(`^The role may not do this in the database .*permission denied for schema ${schema}`),
    )
    await withAdmin(adminUrl, (admin) => admin.query(`ALTER SCHEMA ${schema} OWNER TO ${role}`))
  })

  for (const encoding of ['LATIN1', 'SQL_ASCII']) {
    it(`is refused on a database in ${encoding}, as are move and the doctor`, async (t) => {
      const place = await makePlace(t, { name: 'PostgreSQL' }, { migrates: true })
      const { adminUrl, role } = place.database as FreshSchema
      const name = `${role}_${encoding.toLowerCase()}`
      await withAdmin(adminUrl, (admin) =>
        admin.query(
          `CREATE DATABASE ${name} ENCODING '${encoding}' LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0`,
        ),
      )
      t.after(() => withAdmin(adminUrl, (admin) => admin.query(`DROP DATABASE ${name} WITH (FORCE)`)))
      const url = new URL(place.env.ROLLBOOK_DATABASE_URL as string)
      url.pathname = name
      const env = { ...place.env, ROLLBOOK_DATABASE_URL: url.href }
      const started = await runService({ ...place, env })
      assert.equal(started.code, 78)
      assert.match(started.errors, new RegExp(`^The database has the encoding ${encoding}.*ROLLBOOK_DATABASE_URL`))
      const sqlite = await makePlace(t, { name: 'SQLite' })
      const moved = await runCommand(['move', '--from', `sqlite:${sqlite.directory}`, '--to', url.href], {
        ...env,
        HOME: place.directory,
      })
      assert.match(moved.err, new RegExp(`has the encoding ${encoding}`))
      assert.notEqual(moved.code, 0)
      const looked = await runCommand(['doctor', '--only', 'storage'], { ...env, HOME: place.directory })
      assert.match(looked.out, new RegExp(`failed +store +.* has the encoding ${encoding}`))
    })
  }
})
