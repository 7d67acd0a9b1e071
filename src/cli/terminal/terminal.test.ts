import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { executable, runCommand } from '../../../test/command-process.ts'
import { adminKey, anyEngine, createUser, type Started, start } from '../../../test/harness.ts'
import { Interrupted } from './interruption.ts'
import { askForSecret, askWhether } from './prompt.ts'

const engine = anyEngine
const envOf = (url: string) => ({ ROLLBOOK_URL: url, ROLLBOOK_API_KEY: adminKey })

/** Runs a command on a terminal of 100 columns and 24 rows. Returns what appeared there. */
async function onTerminal(command: string, env: Record<string, string>): Promise<string> {
  const line = `stty cols 100 rows 24; ${process.execPath} ${executable} ${command}`
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    env: { PATH: process.env.PATH, TERM: 'xterm', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.on('data', (part) => {
    out += part
  })
  await once(child, 'close')
  return out.replaceAll('\r\n', '\n')
}

async function withUsers(t: TestContext, count: number): Promise<{ app: Started; env: Record<string, string> }> {
  const app = await start(t, engine)
  const rows = Array.from({ length: count }, (_, n) => `{"username":"user-${n}"}\n`).join('')
  await app.call('POST', '/users/import', { body: rows, headers: { 'content-type': 'application/x-ndjson' } })
  return { app, env: envOf(await app.listen()) }
}

/** A terminal on which these keys are pressed, and what appears on it. */
function terminalWith(keys: string): { input: PassThrough; output: PassThrough; screen: () => string } {
  const [input, output] = [new PassThrough(), new PassThrough()]
  input.write(keys)
  let screen = ''
  output.setEncoding('utf8').on('data', (text) => {
    screen += text
  })
  return { input, output, screen: () => screen }
}

describe('a question on a terminal', () => {
  it('reads a secret without showing it or its length', async () => {
    const terminal = terminalWith('hunter3\x7f2\r')
    assert.equal(await askForSecret('Passphrase', terminal), 'hunter2')
    assert.equal(terminal.screen(), 'Passphrase: \n')
  })

  it('is confirmed by yes only', async () => {
    for (const [keys, confirmed] of [
      ['y\r', true],
      ['YES\r', true],
      ['n\r', false],
      ['\r', false],
      ['yep\r', undefined],
    ] as const) {
      const terminal = terminalWith(keys)
      const reply = askWhether('Sure?', terminal)
      assert.equal(await Promise.race([reply, setImmediate()]), confirmed, keys)
      if (confirmed !== undefined) continue
      terminal.input.write('\r')
      assert.equal(await reply, false)
    }
  })

  it('is interrupted by Ctrl-C, Ctrl-D and Escape, and shows nothing of the secret then either', async () => {
    for (const key of ['\x03', '\x04', '\x1b']) {
      const terminal = terminalWith('')
      const entry = askForSecret('Passphrase', terminal)
      if (key !== '\x04') terminal.input.write('hunter2')
      terminal.input.write(key)
      await assert.rejects(entry, Interrupted)
      assert.equal(terminal.screen(), 'Passphrase: \n')
      await assert.rejects(askWhether('Sure?', terminalWith(key)), Interrupted)
    }
  })
})

describe('users list on a terminal', () => {
  it('shows the first 100 through the pager, and how many more there are', async (t) => {
    const { env } = await withUsers(t, 130)
    const directory = mkdtempSync(join(tmpdir(), 'rollbook-pager-'))
    t.after(() => rmSync(directory, { recursive: true, force: true }))
    const pager = join(directory, 'pager')
    writeFileSync(pager, '#!/bin/sh\necho "paged with $LESS"\ncat\n')
    chmodSync(pager, 0o755)
    const paged = await onTerminal('users list', { ...env, PAGER: pager })
    const lines = paged.trimEnd().split('\n')
    assert.equal(lines[0], 'paged with FRX')
    assert.equal(lines.length, 1 + 1 + 100 + 1)
    assert.equal(lines.at(-1), '… and 30 more: --limit <n>, --all')
    const all = (await onTerminal('users list --all', { ...env, PAGER: pager })).trimEnd().split('\n')
    assert.deepEqual([all[0], all.length], ['paged with FRX', 1 + 1 + 130])
    const short = await onTerminal('users list --limit 3', { ...env, PAGER: pager })
    assert.doesNotMatch(short, /paged/)
    const off = await onTerminal('users list --no-pager', { ...env, PAGER: pager })
    assert.doesNotMatch(off, /paged/)
    assert.match(off, /and 30 more/)
    const early = await onTerminal('users list --all', { ...env, PAGER: 'head -1' })
    assert.equal(early.trimEnd().split('\n').length, 1, early)
    assert.match(await onTerminal('users list', { ...env, PAGER: 'no-such-pager' }), /no-such-pager cannot be started/)
  })

  it('prints all of them in a pipe, and in JSON on a terminal', async (t) => {
    const { env } = await withUsers(t, 130)
    const { out } = await runCommand(['users', 'list'], env)
    assert.equal(out.trimEnd().split('\n').length, 131)
    assert.doesNotMatch(out, /more:/)
    const json = await onTerminal('users list --json user_id', { ...env, PAGER: 'false' })
    assert.equal(JSON.parse(json).length, 130)
  })
})

describe('output on a terminal', () => {
  it('says the result of an import in a sentence, and who one is', async (t) => {
    const { env } = await withUsers(t, 0)
    const directory = mkdtempSync(join(tmpdir(), 'rollbook-terminal-'))
    t.after(() => rmSync(directory, { recursive: true, force: true }))
    const file = join(directory, 'staff.ndjson')
    writeFileSync(file, '{"username":"ada"}\n')
    const said = await onTerminal(`users import ${file}`, env)
    assert.match(said, /Imported 1 row in \d+ s: 1 created\.\n/)
    assert.doesNotMatch(said, /job_id|finished_at/)
    assert.match(
      await onTerminal('whoami', env),
      /^You are the API key .*\nIt may do: everything\. It does not expire\.\n$/,
    )
    assert.match(await onTerminal('version', env), /^rollbook \S+, server \S+ at http:/)
  })
})

describe('chosen output', () => {
  it('has the members that --json names, and all of them without names', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    const { user_id } = await createUser(app, { username: 'ada', email: 'ada@example.com' })
    const read = async (...args: string[]) => {
      const { out, err, code } = await runCommand(args, env)
      assert.equal(code, 0, err)
      return out
    }
    assert.deepEqual(JSON.parse(await read('users', 'list', '--json', 'id,username')), [{ user_id, username: 'ada' }])
    assert.equal(JSON.parse(await read('users', 'list', '--json'))[0].email, 'ada@example.com')
    // The word after it is the user, unless it names members.
    assert.equal(JSON.parse(await read('users', 'get', '--json', 'ada')).email, 'ada@example.com')
    assert.deepEqual(JSON.parse(await read('users', 'show', '--json', 'username', 'ada')), { username: 'ada' })
    assert.deepEqual(JSON.parse(await read('users', 'get', 'ada', '--json=email')), { email: 'ada@example.com' })
    const { err, code } = await runCommand(['users', 'list', '--json', 'id,nme'], env)
    assert.equal(code, 2)
    assert.match(err, /Possible columns: user_id, username.*\nSee rollbook users list --help\.\n$/)
  })

  it('follows a template, with a line for each user', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    await createUser(app, { username: 'ada', email: 'ada@example.com', first_name: 'Ada' })
    const read = async (template: string, ...args: string[]) =>
      (await runCommand(['users', ...args, '--template', template], env)).out
    assert.equal(await read('{{username}}\\t<{{ email }}> {{first_name}}', 'list'), 'ada\t<ada@example.com> Ada\n')
    assert.equal(await read('{{role}}: {{active}}', 'get', 'ada'), 'user: true\n')
    for (const template of ['plain', '{{usernme}}', '{{username', '{{}}']) {
      const { code, err } = await runCommand(['users', 'list', '--template', template], env)
      assert.equal(code, 2, template)
      assert.match(err, /See rollbook users list --help/)
    }
  })

  it('calls users Active and Disabled in tables, and lists them by --disabled', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    await createUser(app, { username: 'ada' })
    const { user_id } = await createUser(app, { username: 'grace' })
    await app.call('PATCH', `/users/${user_id}`, { body: { active: false } })
    const { out } = await runCommand(['users', 'list', '--columns', 'username,active'], env)
    assert.equal(out, 'USERNAME  STATE\nada       Active\ngrace     Disabled\n')
    const { out: disabled } = await runCommand(['users', 'list', '--disabled', '--template', '{{username}}'], env)
    assert.equal(disabled, 'grace\n')
  })
})

describe('whoami, version and hints', () => {
  it('tell the key, its permissions and end, also when it may do nothing else', async (t) => {
    const app = await start(t, engine)
    const url = await app.listen()
    const expires_at = new Date(Date.now() + 86_400_000).toISOString()
    const { body } = await app.call('POST', '/keys', {
      body: { name: 'sync', permissions: ['users:read'], expires_at },
    })
    const { out, code, err } = await runCommand(['whoami', '--json'], { ROLLBOOK_URL: url, ROLLBOOK_API_KEY: body.key })
    assert.equal(code, 0, err)
    const { expires_at: end, ...me } = JSON.parse(out)
    assert.deepEqual(me, {
      key_id: body.key_id,
      name: null,
      prefix: null,
      permissions: ['users:read'],
      username: null,
      user_id: null,
      url,
      from: 'ROLLBOOK_URL',
    })
    assert.ok(Math.abs(Date.parse(end) - Date.parse(expires_at)) <= 1000)
    const admin = await runCommand(['whoami', '--template', '{{permissions}}'], envOf(url))
    assert.equal(admin.out, '*\n')
    assert.equal((await runCommand(['whoami'], { ROLLBOOK_URL: url, ROLLBOOK_API_KEY: 'rb_nothing' })).code, 4)
  })

  it('tell the versions, and why that of the server is unknown', async (t) => {
    const app = await start(t, engine)
    const both = JSON.parse((await runCommand(['version', '--json'], envOf(await app.listen()))).out)
    assert.deepEqual([both.server, both.differ], [both.client, false])
    const alone = await runCommand(['version', '--json'], envOf('http://127.0.0.1:9'))
    assert.deepEqual([alone.code, JSON.parse(alone.out).server, JSON.parse(alone.out).differ], [0, null, null])
    assert.match(alone.err, /The version of the server is unknown: /)
  })

  it('say what -q means, and which permissions exist', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    const search = await runCommand(['users', 'list', '-q', 'ada'], env)
    assert.equal(search.code, 2)
    assert.match(search.err, /-q is short for --quiet\. To search, give --search <text>\.\n$/)
    const wrong = await runCommand(['keys', 'create', 'sync', '--permission', 'users:reed'], env)
    assert.equal(wrong.code, 2)
    assert.match(
      wrong.err,
      /no permission "users:reed" \(did you mean users:read\?\)\. There are users:read, users:write/,
    )
    const none = await runCommand(['keys', 'create', 'sync'], env)
    assert.equal(none.code, 2)
    assert.match(none.err, /^Give --permissions.*There are users:read/)
    assert.equal((await runCommand(['keys', 'create', 'sync', '--permission', 'users:read', '--quiet'], env)).code, 0)
  })
})
