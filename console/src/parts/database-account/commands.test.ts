import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { type Cluster, findOrInstallPostgres, postgresIsMissing, startCluster } from '../../../../test/postgres.ts'
import { type AccountCommands, accountCommands, longestNameBytes, obstacleOf } from './commands.ts'

const hostile = [
  "o'brien",
  "''",
  "'; DROP TABLE users; --",
  'say "hi"',
  '""',
  '"; DROP ROLE postgres; --',
  '$(reboot)',
  '`reboot`',
  '$HOME',
  '$IFS',
  '!!',
  '\\',
  "\\'",
  'a\\',
  '\\"',
  '-h',
  '--help',
  '--',
  '*',
  '~root',
  '#hash',
  ';',
  'a&b|c>d<e',
  'a=b',
  'postgres://localhost/other',
  ':name',
  ":'name'",
  ':"name"',
  '%s%n',
  'ÅSA',
  'أحمد',
  'नाम',
  '名前',
  '😀',
  'Ada',
  'current_user',
  'session_user',
  'user',
  'select',
  'PG_upper',
  'Public',
  'e'.repeat(longestNameBytes),
  'é'.repeat(31),
]

const names = fc
  .oneof(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: fc.constantFrom(...'\'"\\$`!-;:a &') }))
  .filter((name) => obstacleOf(name) === undefined)

describe('the commands for a database account', () => {
  it('are those of the documentation, with the name in quotes', () => {
    assert.deepEqual(accountCommands('create', 'ada'), {
      shell: "createuser --pwprompt -- 'ada'",
      sql: 'CREATE ROLE "ada" LOGIN;',
      psqlPassword: String.raw`\password "ada"`,
    })
    assert.deepEqual(accountCommands('create', 'ada', { isSuperuser: true, canCreateDatabases: true }), {
      shell: "createuser --superuser --createdb --pwprompt -- 'ada'",
      sql: 'CREATE ROLE "ada" LOGIN SUPERUSER CREATEDB;',
      psqlPassword: String.raw`\password "ada"`,
    })
    assert.deepEqual(accountCommands('drop', 'ada'), {
      shell: "dropuser -- 'ada'",
      sql: 'DROP ROLE "ada";',
      psqlPassword: null,
    })
  })

  const refused: [string, string][] = [
    ['', 'empty'],
    ['a'.repeat(longestNameBytes + 1), 'too_long'],
    ['é'.repeat(32), 'too_long'],
    ['pg_monitor', 'reserved'],
    ['pg_', 'reserved'],
    ['public', 'reserved'],
    ['none', 'reserved'],
    ['a\nb', 'control_character'],
    ['a\tb', 'control_character'],
    ['a\0b', 'control_character'],
    ['a\u001b[2Jb', 'control_character'],
    ['a\u0085b', 'control_character'],
    ['a\u2028b', 'control_character'],
    ['a\u202eb', 'invisible_character'],
    ['a\u2066b', 'invisible_character'],
    ['a\u200fb', 'invisible_character'],
    ['a\u200bb', 'invisible_character'],
    ['a\ufeffb', 'invisible_character'],
    ['a\ud800', 'malformed'],
  ]
  for (const [name, obstacle] of refused) {
    it(`are not made for ${JSON.stringify(name)}: ${obstacle}`, () => {
      assert.equal(accountCommands('create', name), obstacle)
      assert.equal(accountCommands('drop', name), obstacle)
    })
  }

  it('allow the joiners that some scripts need', () => {
    assert.equal(obstacleOf('می\u200cخواهم'), undefined)
  })

  it('are one line each, whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const commands = accountCommands('create', name)
        if (typeof commands === 'string') return
        for (const text of Object.values(commands)) assert.doesNotMatch(String(text), /[\n\r\0]/)
      }),
    )
  })

  it('give a POSIX shell exactly the name, as the last argument', () => {
    const input = [...hostile, ...fc.sample(names, 500)]
    const lines = input.flatMap((name) => [commandsOf('create', name).shell, commandsOf('drop', name).shell])
    const functions = ['createuser', 'dropuser'].map(
      (tool) => `${tool}() { printf '%s\\0' "$*" "$#" "$(last "$@"; printf x)"; }`,
    )
    const last = 'last() { shift $(($# - 1)); printf %s "$1"; }'
    const output = execFileSync('/bin/sh', { input: [last, ...functions, ...lines].join('\n'), encoding: 'utf8' })
    const expected = input.flatMap((name) => [
      ...[`--pwprompt -- ${name}`, '3', `${name}x`],
      ...[`-- ${name}`, '2', `${name}x`],
    ])
    assert.deepEqual(output.split('\0').slice(0, -1), expected)
  })
})

describe('the commands for a database account in PostgreSQL', { skip: postgresIsMissing }, () => {
  let cluster: Cluster
  let bin: string
  let admin: pg.Client

  before(async () => {
    bin = (await findOrInstallPostgres()) ?? ''
    // A cluster of its own: roles belong to all databases of one.
    cluster = await startCluster()
    admin = new pg.Client({ connectionString: cluster.url() })
    await admin.connect()
  })
  after(async () => {
    await admin?.end()
    await cluster?.remove()
  })

  async function rolesBeside(): Promise<string[]> {
    const { rows } = await admin.query<{ rolname: string }>(
      `SELECT rolname FROM pg_roles WHERE rolname NOT LIKE 'pg\\_%' AND rolname <> 'postgres'`,
    )
    return rows.map(({ rolname }) => rolname)
  }

  async function rightsOf(name: string): Promise<unknown> {
    const text = 'SELECT rolcanlogin, rolsuper, rolcreatedb FROM pg_roles WHERE rolname = $1'
    return (await admin.query({ text, values: [name], rowMode: 'array' })).rows[0]
  }

  /** Runs without a terminal, so that the tools read passwords from stdin. */
  async function shell(command: string, input = ''): Promise<void> {
    const url = new URL(cluster.adminUrl)
    const child = spawn('/bin/sh', ['-c', command], {
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe'],
      env: {
        PATH: `${bin}:${process.env.PATH}`,
        PGHOST: url.hostname,
        PGPORT: url.port,
        PGUSER: url.username,
        PGPASSWORD: url.password,
        PGDATABASE: url.pathname.slice(1),
      },
    })
    const complaints: Buffer[] = []
    child.stderr.on('data', (chunk: Buffer) => complaints.push(chunk))
    child.stdin.end(input)
    const [code] = await once(child, 'close')
    assert.equal(code, 0, `${command}\n${Buffer.concat(complaints)}`)
  }

  it('make exactly that role by SQL, and drop it', async () => {
    for (const name of [...hostile, ...fc.sample(names, 100)]) {
      await admin.query(commandsOf('create', name).sql)
      assert.deepEqual(await rolesBeside(), [name])
      await admin.query(commandsOf('drop', name).sql)
      assert.deepEqual(await rolesBeside(), [])
    }
  })

  it('make exactly that role by createuser and psql, and drop it by dropuser', async () => {
    // Each starts a process, so only names that have broken other tools.
    for (const name of [
      "o'brien",
      '"; DROP ROLE postgres; --',
      '$(reboot)',
      '--help',
      'a=b',
      ':"name"',
      'a\\',
      'Ada',
    ]) {
      const { shell: create, sql, psqlPassword } = commandsOf('create', name)
      const { shell: drop } = commandsOf('drop', name)
      await shell(create, 'a secret of nobody\na secret of nobody\n')
      assert.deepEqual(await rolesBeside(), [name])
      await shell(drop)
      assert.deepEqual(await rolesBeside(), [])
      await shell(
        'psql -X -v ON_ERROR_STOP=1 -f -',
        `${sql}\n${psqlPassword}\na secret of nobody\na secret of nobody\n`,
      )
      assert.deepEqual(await rolesBeside(), [name])
      await shell(drop)
    }
  })

  it('grant the requested rights', async () => {
    for (const isSuperuser of [false, true]) {
      for (const canCreateDatabases of [false, true]) {
        const { shell: create, sql } = commandsOf('create', 'ada', { isSuperuser, canCreateDatabases })
        await shell(create, 'a secret of nobody\na secret of nobody\n')
        // The tool lists what a superuser may do anyway.
        assert.deepEqual(await rightsOf('ada'), [true, isSuperuser, canCreateDatabases || isSuperuser])
        await shell(commandsOf('drop', 'ada').shell)
        await admin.query(sql)
        assert.deepEqual(await rightsOf('ada'), [true, isSuperuser, canCreateDatabases])
        await shell(commandsOf('drop', 'ada').shell)
      }
    }
  })

  it('are missing for names that PostgreSQL refuses or truncates', async () => {
    for (const name of ['pg_monitor2', 'public', 'none']) {
      await assert.rejects(admin.query(`CREATE ROLE "${name}"`), { code: '42939' })
    }
    const long = 'a'.repeat(longestNameBytes + 1)
    await admin.query(`CREATE ROLE "${long}"`)
    assert.deepEqual(await rolesBeside(), [long.slice(0, -1)])
    await admin.query(`DROP ROLE "${long}"`)
  })
})

function commandsOf(...input: Parameters<typeof accountCommands>): AccountCommands {
  const commands = accountCommands(...input)
  if (typeof commands === 'string') throw new Error(`${input[1]}: ${commands}`)
  return commands
}
