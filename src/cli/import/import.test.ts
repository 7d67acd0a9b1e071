import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { Encrypter } from 'age-encryption'
import { parse } from 'csv-parse/sync'
import { startWay } from '../../../test/client/unreliable.ts'
import { type Ended, runCommand, startCommand } from '../../../test/command-process.ts'
import { makeDirectory, startService } from '../../../test/durability/process.ts'
import { adminKey, anyEngine, createUser, engines, type Started, start } from '../../../test/harness.ts'
import { workbookWriter } from '../../lib/xlsx-writer.ts'

const engine = anyEngine

type Row = Record<string, unknown>

function folder(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-import-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

const envOf = (url: string) => ({ ROLLBOOK_URL: url, ROLLBOOK_API_KEY: adminKey })

function ndjson(rows: readonly unknown[]): string {
  return rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join('')
}

const usersOf = async (app: Started): Promise<Row[]> => (await app.call('GET', '/users')).body
const namesOf = async (app: Started) => (await usersOf(app)).map(({ username }) => username)

/** Returns the job that the command printed with --json, and checks its exit code. */
function job({ out, err, code }: Ended, expected = 0): Row {
  assert.equal(code, expected, err)
  return JSON.parse(out)
}

/** Returns the lines of the rejected rows of the last import, as the server reports them. */
async function linesOf(app: Started): Promise<unknown[]> {
  const { body } = await app.call('GET', '/imports?limit=1')
  return body[0].rejects.map(({ line }: Row) => line)
}

describe('rollbook users import', () => {
  it('creates new users, reports that, and changes nothing the second time', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    const file = join(folder(t), 'staff.ndjson')
    const rows = [
      { username: 'ada', email: 'ada@example.com' },
      { username: 'grace', active: false },
    ]
    writeFileSync(file, `\ufeff${ndjson(rows).replaceAll('\n', '\r\n\r\n')}`)
    const first = await runCommand(['users', 'import', file, '--json'], env)
    const { created, rows_done, state } = job(first)
    assert.deepEqual([created, rows_done, state], [2, 2, 'done'])
    assert.match(
      first.err,
      /^Importing .*staff\.ndjson as job [0-9a-f-]{36}\.\nImported 2 rows in \d+ s: 2 created\.\n$/,
    )

    const again = await runCommand(['users', 'import', file, '--json'], env)
    assert.equal(job(again).unchanged, 2)
    assert.match(again.err, /Nothing has changed: all users already match the file\.\n$/)
    assert.deepEqual(await namesOf(app), ['ada', 'grace'])
  })

  it('keeps rejected rows in a file that only its owner can read, so that they can be corrected and imported again', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    const directory = folder(t)
    const [file, rejects] = [join(directory, 'staff.csv'), join(directory, 'rejected.csv')]
    writeFileSync(
      file,
      'username,first_name,email\r\nada,"A,\r\nB",\r\n\r\ngrace,"G ""H""",grace\r\nmary,,mary@example.com\r\n',
    )
    const found = await runCommand(['users', 'import', file, '--rejects', rejects, '--json'], env)
    const { created, rejected } = job(found, 6)
    assert.deepEqual([created, rejected], [1, 2])
    assert.ok(found.err.endsWith(`2 rows were rejected. They are in ${rejects}, with the reasons.\n`))
    assert.match(found.err, /email_invalid: line 5: This is not a valid email address\. \(email: "grace"\)/)
    assert.deepEqual(await linesOf(app), [2, 5])
    assert.equal(statSync(rejects).mode & 0o777, 0o600)
    const stored = parse(readFileSync(rejects), { columns: true }) as Row[]
    assert.deepEqual(
      stored.map(({ username, first_name, rejected_row, rejected_line, rejected_code }) => [
        username,
        first_name,
        `${rejected_row} ${rejected_line}`,
        rejected_code,
      ]),
      [
        ['ada', "A,'\r\nB", '1 2', 'control_character'],
        ['grace', 'G "H"', '2 5', 'email_invalid'],
      ],
    )
    writeFileSync(
      rejects,
      readFileSync(rejects, 'utf8').replace("A,'\r\nB", 'A, B').replace(',grace,', ',grace@example.com,'),
    )
    const mended = await runCommand(
      ['users', 'import', rejects, '--rejects', join(directory, 'more.csv'), '--json'],
      env,
    )
    assert.equal(job(mended).created, 2)
    assert.deepEqual(
      (await usersOf(app)).map(({ username, first_name }) => [username, first_name]),
      [
        ['mary', ''],
        ['ada', 'A, B'],
        ['grace', 'G "H"'],
      ],
    )
    assert.ok(!existsSync(join(directory, 'more.csv')))
  })

  it('never writes the secrets of second factors to the file of rejected rows, however broken a row is', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    const directory = folder(t)
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
    const codes = ['r'.repeat(43)]
    const good = { username: 'a b', totp_secret: secret }
    const ndjson = [
      JSON.stringify(good),
      JSON.stringify({ username: 'c d', factors: [{ kind: 'totp', secret }], recovery_code_hashes: codes }),
      JSON.stringify({ username: 'misspelt', totp_secrets: secret }),
      JSON.stringify({ username: 'nested', attributes: { totp_secret: secret } }),
      JSON.stringify([good]),
      JSON.stringify(good).slice(0, -1),
    ]
    const csv = ['username,totp_secret,first_name', `a b,${secret},Ada`, `Lovelace, Ada,${secret},Ada`, `c d,${secret}`]
    const open = [...csv, `e f,"${secret},Ada`]
    for (const [name, lines] of Object.entries({ 'staff.ndjson': ndjson, 'staff.csv': csv, 'open.csv': open })) {
      const [file, rejects] = [join(directory, name), join(directory, `rejected.${name}`)]
      writeFileSync(file, `${lines.join('\n')}\n`)
      const { code, out, err } = await runCommand(['users', 'import', file, '--rejects', rejects], env)
      assert.notEqual(code, 0)
      const written = existsSync(rejects) ? readFileSync(rejects, 'utf8') : ''
      for (const text of [written, out, err]) {
        assert.ok(!text.includes(secret) && !text.includes(codes[0] as string), text)
      }
      assert.equal(written.includes('a b'), name !== 'open.csv', 'a quote that is never closed refuses the file')
    }
  })

  it('keeps a formula in a rejected row from running in a spreadsheet, and imports the row unchanged again', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    const directory = folder(t)
    const [file, rejects] = [join(directory, 'staff.csv'), join(directory, 'rejected.csv')]
    const passwords = ["z;=1+1 ''=x", "'=1", "correct;'=horse battery staple"] as const
    const row = `ada,"${passwords[0]}",${passwords[1]},"${passwords[2]}"`
    writeFileSync(file, `username,first_name,last_name,password\r\n${row.replace('ada', 'a b')}\r\n`)
    assert.equal(job(await runCommand(['users', 'import', file, '--rejects', rejects, '--json'], env), 6).rejected, 1)
    const text = readFileSync(rejects, 'utf8')
    for (const cell of text.split(/[;,\r\n"]/)) assert.doesNotMatch(cell, /^[=+@-]/)
    writeFileSync(rejects, text.replace('a b', 'ada'))
    assert.equal(job(await runCommand(['users', 'import', rejects, '--json'], env)).created, 1)
    const [ada] = await usersOf(app)
    // One apostrophe before a formula is removed, as from any file.
    assert.deepEqual([ada?.first_name, ada?.last_name], [passwords[0], '=1'])
    assert.equal(
      (await app.call('POST', '/sessions', { body: { username: 'ada', password: passwords[2] } })).status,
      201,
    )
  })

  it('reads Excel files, and CSV as Excel saves it, whatever the names of the files say', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    const directory = folder(t)
    const writer = workbookWriter({ header: ['username', 'first_name', 'effective_roles'], sheetName: 'Users' })
    const workbook = Buffer.concat([
      writer.add([
        ['jürgen', "'=Jürgen", 'user'],
        ['a b', 'Ada', ''],
      ]),
      writer.end(),
    ])
    const text = 'username;first_name\r\nkarl;"Karl; der Große"\r\n'
    const old = Buffer.from('d0cf11e0a1b11ae1', 'hex')
    const files: [string, string | Buffer, string[], number, string][] = [
      ['staff.xlsx', workbook, [], 6, 'jürgen'],
      ['really.csv', workbook, ['--update'], 6, 'jürgen'],
      ['german.csv', Buffer.from(text, 'latin1'), [], 0, 'karl'],
      ['wide.txt', Buffer.from(`\ufeff${text.replace('karl', 'lise')}`, 'utf16le'), [], 0, 'lise'],
      ['dos.csv', Buffer.from(text.replace('karl', 'jos\xe9'), 'latin1'), ['--encoding', 'windows-1252'], 0, 'josé'],
    ]
    for (const [name, content, more, code, username] of files) {
      const file = join(directory, name)
      writeFileSync(file, content)
      const result = await runCommand(['users', 'import', file, '--json', ...more, '--rejects', `${file}.no.csv`], env)
      assert.equal(result.code, code, result.err)
      assert.ok((await namesOf(app)).includes(username), name)
      if (code === 0) continue
      assert.match(result.err, /line 3: .*space/)
      assert.match(result.err, /effective_roles is ignored: follows from role and groups\./)
    }
    const [juergen] = (await usersOf(app)).filter(({ username }) => username === 'jürgen')
    assert.equal(juergen?.first_name, "'=Jürgen", 'a sheet has its own apostrophes')
    const [karl] = (await usersOf(app)).filter(({ username }) => username === 'karl')
    assert.equal(karl?.first_name, 'Karl; der Große')
    writeFileSync(join(directory, 'old.xls'), old)
    const refused = await runCommand(['users', 'import', join(directory, 'old.xls')], env)
    assert.match(refused.err, /an Excel file of before 2007 \(\.xls\)\. Save it as \.xlsx or CSV\./)
    assert.notEqual(refused.code, 0)

    // A column that does not exist: the command ends while it reads.
    const TMPDIR = join(directory, 'temporary')
    mkdirSync(TMPDIR)
    const many = workbookWriter({ header: ['username', 'colour'], sheetName: 'Users' })
    const large = Array.from({ length: 20_000 }, (_, n) => [`user-${n}`, 'blue'])
    writeFileSync(join(directory, 'large.xlsx'), Buffer.concat([many.add(large), many.end()]))
    const failed = await runCommand(['users', 'import', join(directory, 'large.xlsx')], { ...env, TMPDIR })
    assert.match(failed.err, /colour/)
    assert.notEqual(failed.code, 0)
    assert.deepEqual(readdirSync(TMPDIR), [])
  })

  it('matches reasons with rows across many parts, also from standard input, and imports rejected NDJSON rows again', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    const rejects = join(folder(t), 'rejected.ndjson')
    const rows = Array.from({ length: 3000 }, (_, n) =>
      n % 700 === 600 ? { usrname: `user-${n}` } : { username: `user-${n}` },
    )
    const args = ['users', 'import', '-', '--rejects', rejects, '--json']
    const { created, rejected } = job(await runCommand(args, env, `${ndjson(rows)}no json`), 6)
    assert.deepEqual([created, rejected], [2996, 5])
    const stored = readFileSync(rejects, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Row)
    assert.deepEqual(
      stored.map(({ row, input }) => [row, input]),
      [...[600, 1300, 2000, 2700].map((n) => [n + 1, { usrname: `user-${n}` }]), [3001, 'no json']],
    )
    writeFileSync(
      rejects,
      readFileSync(rejects, 'utf8').replaceAll('usrname', 'username').replace('"no json"', '{"username":"last"}'),
    )
    assert.equal(job(await runCommand(['users', 'import', rejects, '--json'], env)).created, 5)
    assert.equal((await namesOf(app)).length, 3001)
  })

  it('refuses unreadable files and unknown roles in a role map or mapping before it starts', async (t) => {
    const app = await start(t, engine, { env: { ROLLBOOK_ROLES: '{"editor": ["users:read"]}' } })
    const env = envOf(await app.listen())
    const directory = folder(t)
    const [realm, map, csv, mapping] = ['realm.json', 'roles.json', 'staff.csv', 'mapping.json'].map((name) =>
      join(directory, name),
    ) as [string, string, string, string]
    const from = ['--from', 'keycloak', realm]
    const refused = async (args: string[]) => {
      const { code, err } = await runCommand(['users', 'import', ...args], env)
      assert.equal(code, 2, err)
      return err
    }
    writeFileSync(realm, '{"realm": "shop", "users": [{"username": "ada", "realmRoles": ["boss"]}]}')
    const nowhere = join(directory, 'nowhere')
    assert.equal(
      await refused([nowhere]),
      `There is no file ${nowhere}. Check the name, or give - for standard input.\n`,
    )
    assert.match(await refused(['staff.nd']), /^There is no file staff\.nd in \/.*\. Check the name/)
    assert.match(await refused([directory]), /is a directory, which can be imported only with --from/)
    assert.match(await refused([...from, '--mapping', nowhere]), /^--mapping is only for --from csv and --from json/)
    assert.match(await refused(['--from', 'okta', realm, '--clear-passwords', 'hash']), /only for --from keycloak/)
    for (const option of ['--role-map', '--passwords', '--hash-config']) {
      assert.equal(
        await refused([...from, option, nowhere]),
        `${option}: There is no file ${nowhere}. Check the name.\n`,
      )
    }
    writeFileSync(map, '{"boss": "admni", "clerk": "editor"}')
    assert.equal(
      await refused([...from, '--role-map', map]),
      `Nothing was imported: the server does not have these roles.\n  ${map}: "boss" becomes "admni" (did you mean admin?)\nIts roles are admin, user, editor. Correct the file, or define the roles with ROLLBOOK_ROLES.\n`,
    )
    for (const text of ['["admin"]', '{"boss": 1}', '{"boss"']) {
      writeFileSync(map, text)
      assert.match(await refused([...from, '--role-map', map]), /A role map is a JSON object/)
    }
    writeFileSync(csv, 'login,team\nada,ops\n')
    const members = { username: 'login', role: { column: 'team', values: { ops: 'admin' }, otherwise: 'usr' } }
    writeFileSync(mapping, JSON.stringify({ members }))
    assert.match(
      await refused(['--from', 'csv', csv, '--mapping', mapping]),
      /mapping\.json: "usr" \(did you mean user/,
    )
    assert.deepEqual([await namesOf(app), (await app.call('GET', '/imports')).body], [[], []])
    writeFileSync(map, '{"boss": "editor"}')
    assert.equal(job(await runCommand(['users', 'import', ...from, '--role-map', map, '--json'], env)).created, 1)
    assert.equal((await usersOf(app))[0]?.role, 'editor')
  })

  it('guesses the mapping of a JSON file, prints it, and uses it only after --yes or in a dry run', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    const directory = folder(t)
    const [file, mapping] = [join(directory, 'people.json'), join(directory, 'mapping.json')]
    const person = { nr: 7, login: 'ada', emails: [{ value: 'ada@example.com' }], disabled: true, password: 'hunter2' }
    writeFileSync(file, JSON.stringify({ page: 1, Resources: [person] }))
    const run = (...args: string[]) => runCommand(['users', 'import', '--from', 'json', ...args], env)
    const dry = await run(file, '--dry-run', '--json')
    assert.equal(job(dry).created, 1)
    const guessed = /^Guessed this mapping[^\n]*\n(\{.*?\n\})\n/s.exec(dry.err)?.[1] ?? ''
    assert.deepEqual(JSON.parse(guessed), {
      rows: 'Resources',
      members: {
        email: 'emails.0.value',
        username: 'login',
        active: { path: 'disabled', values: { true: false, false: true } },
      },
    })
    assert.match(dry.err, /Not imported: "password", which may be passwords in plain text/)
    assert.doesNotMatch(dry.err, /hunter2/)
    const unasked = await run(file)
    assert.deepEqual([unasked.code, await namesOf(app)], [2, []])
    assert.match(unasked.err, /Give --yes to confirm\.\n$/)
    const piped = await runCommand(['users', 'import', '--from', 'json', '-'], env, '[]')
    assert.deepEqual([piped.code, /--mapping for standard input/.test(piped.err)], [2, true])
    assert.equal(job(await run(file, '--yes', '--json')).created, 1)
    // The guess that was printed is a mapping that can be given.
    writeFileSync(mapping, guessed)
    assert.equal(job(await run(file, '--mapping', mapping, '--json')).unchanged, 1)
    assert.deepEqual(
      (await usersOf(app)).map(({ username, email, active }) => [username, email, active]),
      [['ada', 'ada@example.com', false]],
    )
  })

  it('writes no file of rejected rows in a dry run without --rejects, and gives advice about unknown columns', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    const directory = folder(t)
    const [file, rejects] = [join(directory, 'staff.csv'), join(directory, 'asked.csv')]
    writeFileSync(file, 'username\nx y\n')
    const before = readdirSync('.')
    const dry = await runCommand(['users', 'import', file, '--dry-run'], env)
    assert.equal(dry.code, 6)
    assert.match(dry.err, /1 row would be rejected\. Give --rejects <file> to save them with the reasons\.\n$/)
    assert.deepEqual([readdirSync('.'), readdirSync(directory)], [before, ['staff.csv']])
    await runCommand(['users', 'import', file, '--dry-run', '--rejects', rejects], env)
    assert.ok(existsSync(rejects))
    writeFileSync(file, 'Login,Shoe\nada,39\n')
    const { code, err } = await runCommand(['users', 'import', file], env)
    assert.equal(code, 1)
    assert.match(err, /columns "Login" and "Shoe"\. Did you mean "username" for "Login"\?.*\n.*--from csv: it guesses/)
  })

  it('reports the line and the value of a rejected row from JSON or another system, but never a password', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    const directory = folder(t)
    const file = join(directory, 'staff.json')
    const rows = [{ username: 'ada', password: 'hunter2' }, { username: 'x y' }, { username: 'mary', role: 'emperor' }]
    writeFileSync(file, JSON.stringify(rows, null, 2))
    const { code, err } = await runCommand(['users', 'import', file, '--dry-run'], env)
    assert.equal(code, 6)
    assert.match(err, /username_invalid: line 6: .* \(username: "x y"\)/)
    assert.match(err, /role_unknown: line 9: .* \(role: "emperor"\)/)
    assert.match(err, /password_too_short: line 2: /)
    assert.doesNotMatch(err, /hunter2/)
    assert.deepEqual(await linesOf(app), [2, 6, 9])
    // Rows that share a line have no line, rather than a wrong one.
    writeFileSync(file, JSON.stringify(rows))
    await runCommand(['users', 'import', file, '--dry-run'], env)
    assert.deepEqual(await linesOf(app), [null, null, null])
    const wide = join(directory, 'wide.csv')
    writeFileSync(wide, Buffer.from('\ufeffusername,first_name\r\nx y,Zoé\r\nzoe,Zoé 🙂\r\n', 'utf16le'))
    const found = await runCommand(['users', 'import', wide, '--dry-run', '--json'], env)
    assert.deepEqual([job(found, 6).created, await linesOf(app)], [1, [2]])
  })

  it('updates existing users with --update, skips them with --on-conflict skip, and does neither in a dry run', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    await createUser(app, { username: 'ada', external_id: 'hr-1' })
    const directory = folder(t)
    const file = join(directory, 'staff.json.gz')
    const rows = [
      { username: 'ada.lovelace', external_id: 'hr-1' },
      { username: 'grace', external_id: 'hr-2' },
    ]
    writeFileSync(file, gzipSync(JSON.stringify(rows)))
    const args = ['users', 'import', file, '--match', 'external_id', '--json']
    const dry = await runCommand([...args, '--update', '--dry-run'], env)
    assert.deepEqual([job(dry).updated, job(dry).created], [1, 1])
    assert.match(dry.err, /Nothing was changed\.\n$/)
    assert.deepEqual(await namesOf(app), ['ada'])
    const skipped = job(await runCommand([...args, '--on-conflict', 'skip'], env))
    assert.deepEqual([skipped.skipped, skipped.created], [1, 1])
    const updated = job(await runCommand([...args, '--update'], env))
    assert.deepEqual([updated.updated, updated.unchanged], [1, 1])
    assert.deepEqual(await namesOf(app), ['ada.lovelace', 'grace'])
  })

  it('continues when responses are lost, and imports each row once', async (t) => {
    const app = await start(t, engine)
    const way = await startWay(t, await app.listen())
    way.fate = ({ number }) =>
      number % 3 === 0 ? 'lose' : number % 5 === 0 ? { status: number % 2 ? 408 : 502 } : 'pass'
    const file = join(folder(t), 'many.ndjson')
    writeFileSync(file, ndjson(Array.from({ length: 5000 }, (_, n) => ({ username: `user-${n}` }))))
    const found = job(await runCommand(['users', 'import', file, '--json'], envOf(way.url)))
    assert.deepEqual([found.created, found.unchanged], [5000, 0])
    assert.ok(way.passed.length > 6)
  })

  it('sends smaller parts if a proxy refuses larger ones, and names a row that is too large', async (t) => {
    const app = await start(t, engine)
    const way = await startWay(t, await app.listen())
    way.fate = ({ headers }) => (Number(headers['content-length']) > 20_000 ? { status: 413 } : 'pass')
    const file = join(folder(t), 'many.ndjson')
    const rows = Array.from({ length: 2000 }, (_, n) => ({ username: `user-${n}`, last_name: 'x'.repeat(90) }))
    writeFileSync(file, ndjson(rows))
    const found = job(await runCommand(['users', 'import', file, '--json'], envOf(way.url)))
    assert.deepEqual([found.created, found.unchanged], [2000, 0])
    writeFileSync(file, ndjson([{ username: 'last' }, { username: 'large', last_name: 'x'.repeat(21_000) }]))
    const { code, err } = await runCommand(['users', 'import', file], envOf(way.url))
    assert.equal(code, 1)
    assert.match(err, /^Row 2 alone is larger than a proxy in front of the server accepts \(413\)\. /m)
  })

  it('reports which rows are already done when it continues, and what this run did', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    const rows = ['ada', 'grace', 'mary'].map((username) => ({ username }))
    const headers = { 'content-type': 'application/x-ndjson' }
    const begun = await app.call('POST', '/users/import?complete=false', { body: ndjson(rows.slice(0, 2)), headers })
    const { job_id } = begun.body
    const file = join(folder(t), 'staff.ndjson')
    const resume = () => runCommand(['users', 'import', file, '--resume', job_id], env)
    writeFileSync(file, ndjson(rows.slice(0, 1)))
    const shorter = await resume()
    assert.equal(shorter.code, 5)
    assert.match(shorter.err, /\nThe import has already done 2 rows, but the input has fewer\. /)
    writeFileSync(file, ndjson(rows))
    const { code, err } = await resume()
    assert.equal(code, 0, err)
    assert.match(err, /, from row 3\.\nRows 1 to 2 are already done and will not be compared\. /)
    assert.match(err, /\nImported 1 row in \d+ s: 1 created\.\nIn total, 3 rows: 3 created\.\n$/)
  })

  it('imports from another system, and reports what could not be imported', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    const directory = folder(t)
    const [file, report] = [join(directory, 'realm.json'), join(directory, 'report.json')]
    const users = [
      {
        id: '5d1f9b3c-4a83-4c5b-8b0e-6a1f0c1f2d3e',
        username: 'ada',
        enabled: true,
        email: 'ada@example.com',
        emailVerified: true,
        requiredActions: ['CONFIGURE_TOTP'],
      },
      { id: '6d1f9b3c-4a83-4c5b-8b0e-6a1f0c1f2d3e', username: 'grace', enabled: false },
    ]
    writeFileSync(file, JSON.stringify({ realm: 'shop', users }))
    const args = ['users', 'import', '--from', 'keycloak', file, '--report', report, '--json']
    assert.equal(job(await runCommand([...args, '--dry-run'], env)).created, 2)
    // This report replaces that of the dry run. No other file is replaced.
    const found = await runCommand(args, env)
    assert.equal(job(found).created, 2)
    assert.deepEqual(
      (await usersOf(app)).map(({ username, active }) => [username, active]),
      [
        ['ada', true],
        ['grace', false],
      ],
    )
    assert.match(found.err, /Not imported:\n {2}\d+ × /)
    assert.ok((JSON.parse(readFileSync(report, 'utf8')) as Row[]).every(({ what, why, count }) => what && why && count))
    const other = await runCommand(['users', 'import', '--from', 'keycloak', file, '--report', file], env)
    assert.deepEqual([other.code, JSON.parse(readFileSync(file, 'utf8')).realm], [2, 'shop'])
    const without = await runCommand(['users', 'import', file, '--report', `${report}.2`], env)
    assert.deepEqual(
      [without.code, without.err.split('\n')[0]],
      [2, '--report is only for an export of another system. Give --from too.'],
    )
  })

  it('reports a wrong passphrase and an incomplete encrypted file', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    const directory = folder(t)
    const [file, secret] = [join(directory, 'staff.ndjson.age'), join(directory, 'passphrase')]
    const encrypter = new Encrypter()
    encrypter.setPassphrase('opened by few')
    encrypter.setScryptWorkFactor(10)
    const bytes = await encrypter.encrypt(ndjson([{ username: 'ada' }]))
    const args = ['users', 'import', file, '--passphrase-file', secret]
    writeFileSync(file, bytes)
    writeFileSync(secret, 'what nobody has encrypted with')
    const wrong = await runCommand(args, env)
    assert.equal(wrong.code, 2)
    assert.ok(wrong.err.endsWith('\nThe passphrase does not open the file.\n') && !wrong.err.includes('--resume'))
    writeFileSync(secret, 'opened by few\n')
    writeFileSync(file, bytes.subarray(0, -1))
    const damaged = await runCommand(args, env)
    assert.equal(damaged.code, 1)
    assert.match(damaged.err, /\nThe encrypted file is damaged or incomplete\.\n$/)
    assert.ok(!damaged.err.includes('--resume'))
    writeFileSync(file, bytes)
    assert.equal(job(await runCommand([...args, '--json'], env)).created, 1)
    // The first line shows the format, with any file name.
    const renamed = join(directory, 'staff.age')
    writeFileSync(renamed, bytes)
    const again = await runCommand(['users', 'import', renamed, '--passphrase-file', secret, '--json'], env)
    assert.equal(job(again).unchanged, 1)
  })

  it('cancels an import that will not be continued', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    const body = ndjson([{ username: 'ada' }])
    const headers = { 'content-type': 'application/x-ndjson' }
    const begun = await app.call('POST', '/users/import?complete=false', { body, headers })
    const { job_id } = begun.body
    const cancelled = await runCommand(['users', 'import', '--cancel', job_id, '--json'], env)
    assert.equal(job(cancelled).state, 'cancelled')
    const file = join(folder(t), 'staff.ndjson')
    writeFileSync(file, body)
    const resumed = await runCommand(['users', 'import', file, '--resume', job_id], env)
    assert.deepEqual(
      [resumed.code, resumed.err],
      [2, `The import ${job_id} is cancelled, so it cannot be continued.\n`],
    )
  })
})

/** Rows that take the server a while, because it hashes their passwords sequentially. */
const slowRows: Row[] = Array.from({ length: 500 }, (_, n) => ({
  username: `user-${n}`,
  ...(n % 3 === 0 ? { password: `a moth in relay ${n}` } : {}),
}))
const slowNames = slowRows.map(({ username }) => username).toSorted()

for (const one of engines) {
  describe(`an interrupted import on ${one.name}`, () => {
    it('prints how to continue after Ctrl-C, and then has the same result as without the interruption', async (t) => {
      const app = await start(t, one)
      const env = envOf(await app.listen())
      const file = join(folder(t), 'many rows.ndjson')
      const rows = [...slowRows.slice(0, 50), { username: 'x y' }, ...slowRows.slice(50)]
      writeFileSync(file, ndjson(rows))
      const rejects = `${file}.rejected`
      const { child, outcome: ended } = startCommand(['users', 'import', file, '--rejects', rejects], env)
      while ((await namesOf(app)).length < 20) await sleep(20)
      child.kill('SIGINT')
      const { code, err } = await ended
      assert.equal(code, 130, err)
      const [, command = ''] = /Interrupted after row [\d,]+\. To continue, run:\n {2}rollbook (.*)\n/.exec(err) ?? []
      const [, id = ''] = /--resume ([0-9a-f-]{36})$/.exec(command) ?? []
      assert.equal(command, `users import '${file}' --rejects '${rejects}' --resume ${id}`)
      assert.ok((await namesOf(app)).length < slowRows.length)

      const found = job(
        await runCommand(['users', 'import', file, '--rejects', rejects, '--resume', id, '--json'], env),
        6,
      )
      assert.deepEqual([found.job_id, found.created, found.rejected, found.rows_done], [id, 500, 1, 501])
      assert.equal(JSON.parse(readFileSync(rejects, 'utf8')).row, 51)
      assert.deepEqual((await namesOf(app)).toSorted(), slowNames)
    })
  })
}

describe('an import whose server is killed', () => {
  it('continues when the server is back, with the same result', async (t) => {
    const directory = makeDirectory(t)
    const file = join(folder(t), 'many.ndjson')
    writeFileSync(file, ndjson(slowRows))
    const service = await startService(t, { directory })
    const port = new URL(service.url).port
    const importing = runCommand(['users', 'import', file, '--json'], envOf(service.url))
    const count = async () =>
      Number((await service.call('HEAD', '/users?limit=1&count=true')).headers.get('total-count'))
    while ((await count()) < 20) await sleep(20)
    await service.end('SIGKILL')
    const again = await startService(t, { directory, env: { ROLLBOOK_PORT: port } })
    const found = job(await importing)
    assert.deepEqual([found.created, found.unchanged, found.rejected], [500, 0, 0])
    const names = ((await (await again.call('GET', '/users')).json()) as Row[]).map(({ username }) => username)
    assert.deepEqual(names.toSorted(), slowNames)
  })

  it('exits with 7 and prints the command to continue if the server stays unreachable', async (t) => {
    const file = join(folder(t), 'staff.ndjson')
    writeFileSync(file, ndjson([{ username: 'ada' }]))
    const { code, err } = await runCommand(
      ['users', 'import', file, '--retry-for', '0.2'],
      envOf('http://127.0.0.1:9/auth'),
    )
    assert.equal(code, 7)
    assert.match(
      err,
      /To continue, run:\n {2}rollbook users import .*staff\.ndjson --retry-for 0\.2 --resume [0-9a-f-]{36}\n/,
    )
  })
})
