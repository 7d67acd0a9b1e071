import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runCommand, startCommand } from '../../../test/command-process.ts'
import { makeDirectory } from '../../../test/durability/process.ts'
import { serveHttp } from '../../../test/http-server.ts'

const user = {
  user_id: '01890a5d-ac96-774b-bcce-b302099a8057',
  username: 'ada',
  email: 'ada@example.com',
  external_id: null,
  first_name: '',
  last_name: '',
  role: 'user',
  active: true,
  has_password: false,
  last_login_at: null,
  created_at: '2026-11-20T09:30:00.000Z',
  updated_at: '2026-11-20T09:30:00.000Z',
}
const ndjson = { 'content-type': 'application/x-ndjson; charset=utf-8' }
const executable = fileURLToPath(new URL('../../../bin/rollbook.js', import.meta.url))

type Answering = (request: IncomingMessage, response: ServerResponse) => void

/** A server with responses that Rollbook would not send. It records the keys that it receives. */
async function startServer(t: TestContext, handle: Answering): Promise<{ url: string; keys: string[] }> {
  const keys: string[] = []
  const { origin } = await serveHttp(t, (request, response) => {
    keys.push(request.headers.authorization ?? '')
    return handle(request, response)
  })
  return { url: `${origin}/auth`, keys }
}

const listOfOne: Answering = (_, response) => response.writeHead(200, ndjson).end(`${JSON.stringify(user)}\n`)
const list = ['users', 'list', '--output', 'ndjson']

function saveProfiles(home: string, profiles: unknown, mode = 0o600): string {
  const file = join(home, 'rollbook', 'profiles.json')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof profiles === 'string' ? profiles : JSON.stringify(profiles))
  chmodSync(file, mode)
  return file
}

describe('a command that uses a server', () => {
  it('uses the key of an option before the environment and the profile, and sends each key only to its own server', async (t) => {
    const { url, keys } = await startServer(t, listOfOne)
    const home = makeDirectory(t)
    const keyFile = join(home, 'key')
    writeFileSync(keyFile, 'key-of-the-file\n')
    const profiles = { one: { url, key: 'key-of-one' }, two: { url: 'http://127.0.0.1:9/auth', key: 'key-of-two' } }
    saveProfiles(home, { current: 'one', profiles })
    const none = { XDG_CONFIG_HOME: home }
    const key = { ...none, ROLLBOOK_API_KEY: 'key-of-the-environment' }
    const cases: [string, string[], Record<string, string>][] = [
      ['key-of-the-file', ['--key-file', keyFile], key],
      ['key-of-the-file', ['--url', url, '--key-file', keyFile], { ...key, ROLLBOOK_URL: 'http://127.0.0.1:9/auth' }],
      ['key-of-the-environment', ['--url', `${url}/`], { ...key, ROLLBOOK_URL: url }],
      ['key-of-the-environment', [], { ...key, ROLLBOOK_URL: url }],
      ['key-of-the-file', [], { ...none, ROLLBOOK_URL: url, ROLLBOOK_API_KEY_FILE: keyFile }],
      ['key-of-one', [], none],
      ['key-of-one', ['--profile', 'one'], { ...key, ROLLBOOK_URL: 'http://127.0.0.1:9/auth' }],
      ['key-of-one', [], { ...key, ROLLBOOK_PROFILE: 'one' }],
    ]
    for (const [expected, args, env] of cases) {
      const { code, err } = await runCommand([...list, ...args], env)
      assert.equal(code, 0, err)
      assert.deepEqual(keys.splice(0), [`Bearer ${expected}`], args.join(' '))
    }
    // The key of a profile is not sent to another address, wherever the address comes from.
    for (const env of [{ ...none, ROLLBOOK_URL: url }, none]) {
      const { code, err } = await runCommand([...list, ...(env === none ? ['--url', url] : [])], env)
      assert.equal(code, 4)
      assert.match(err, /^There is no API key\./)
    }
    // The key of the environment is not sent to an address that the environment does not name, or to a profile's.
    for (const [args, env] of [
      [['--url', url], key],
      [['--url', url], { ...key, ROLLBOOK_URL: 'https://example.com/auth' }],
      [[], key],
    ] as const) {
      const { code, err } = await runCommand([...list, ...args], env)
      assert.equal(code, 2)
      assert.match(err, /^(There is no key for --url: .* Give|The environment has a key but no ROLLBOOK_URL, .* give) /)
    }
    assert.equal((await runCommand([...list, '--url', url, '--profile', 'one'], key)).code, 2)
    assert.equal((await runCommand([...list, '--profile', 'three'], key)).code, 2)
    assert.equal((await runCommand([...list, '--profile', 'constructor'], key)).code, 2)
    assert.deepEqual(keys, [])
    const inClear = await runCommand([...list, '--url', 'http://0.0.0.0:9/auth', '--key-file', keyFile], none)
    assert.match(
      inClear.err,
      /^The key is sent to 0\.0\.0\.0:9 without https: anyone on the network path can read it\.\n/,
    )
  })

  it('refuses a profile file that others can read, or that is malformed, without showing keys', async (t) => {
    const { url, keys } = await startServer(t, listOfOne)
    const home = makeDirectory(t)
    const profiles = { current: 'one', profiles: { one: { url, key: 'key-of-one' } } }
    const env = { XDG_CONFIG_HOME: home }
    for (const mode of [0o640, 0o604, 0o620]) {
      const file = saveProfiles(home, profiles, mode)
      const { code, out, err } = await runCommand(list, env)
      assert.deepEqual([code, out], [2, ''])
      assert.ok(err.startsWith(`${file} can be read or written by others`), err)
    }
    for (const text of ['', 'key-of-one', '{"profiles":{"one":"key-of-one"}}', '[]', 'null']) {
      saveProfiles(home, text)
      const { code, err } = await runCommand(list, env)
      assert.equal(code, 2)
      assert.doesNotMatch(err, /key-of-one|^\s+at /m)
    }
    assert.deepEqual(keys, [])
  })

  it('stores a profile once the server has accepted its key, in a file that only its owner can read', async (t) => {
    const { url } = await startServer(t, (request, response) => {
      const ok = request.headers.authorization === 'Bearer key-that-is-good'
      const problem = { type: 'x', title: 'x', status: 401, detail: 'No.', instance: 'x', code: 'credential_invalid' }
      if (ok) response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
      else response.writeHead(401, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem))
    })
    const home = makeDirectory(t)
    const env = { XDG_CONFIG_HOME: home }
    const file = join(home, 'rollbook', 'profiles.json')
    const add = (name: string, key: string, ...args: string[]) =>
      runCommand(['profile', 'add', name, '--url', url, '--key-stdin', ...args], env, key)
    const bad = await add('work', 'key-that-is-bad\n')
    assert.equal(bad.code, 4)
    assert.throws(() => statSync(file))
    assert.equal((await add('work', 'key-that-is-good\n')).code, 0)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal(statSync(dirname(file)).mode & 0o777, 0o700)
    assert.equal((await add('home', 'key-that-is-good\n', '--dry-run')).code, 0)
    assert.equal((await add('home', 'key-of-tomorrow\n', '--no-check')).code, 0)
    assert.equal((await add('home', 'key-that-is-good\n')).code, 2, 'it asks before it replaces one')
    assert.equal((await runCommand(['profile', 'use', 'home'], env)).code, 0)
    assert.equal((await runCommand(['profile', 'use', 'nowhere'], env)).code, 3)
    const listed = await runCommand(['profile', 'list', '--json'], env)
    assert.deepEqual(JSON.parse(listed.out), [
      { name: 'work', url, current: false },
      { name: 'home', url, current: true },
    ])
    assert.equal((await runCommand(['profile', 'remove', 'home'], env)).code, 2)
    assert.equal((await runCommand(['profile', 'remove', 'home', '--yes'], env)).code, 0)
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { profiles: { work: { url, key: 'key-that-is-good' } } })
  })

  it('exits with 7 if nothing responds, if the list is cut off, and if a proxy responds', async (t) => {
    const cut = await startServer(t, (_, response) => {
      response.writeHead(200, ndjson).write(`${JSON.stringify(user)}\n`, () => setTimeout(() => response.destroy(), 50))
    })
    const away = await startServer(t, (_, response) => response.writeHead(502).end('<h1>Bad gateway</h1>'))
    const other = await startServer(t, (_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>'),
    )
    const finished = await Promise.all(
      ['http://127.0.0.1:9/auth', cut.url, away.url, other.url].map((url) =>
        runCommand(list, { ROLLBOOK_URL: url, ROLLBOOK_API_KEY: 'some-key' }),
      ),
    )
    assert.deepEqual(
      finished.map(({ code }) => code),
      [7, 7, 7, 1],
    )
    for (const { err } of finished) assert.doesNotMatch(err, /^\s+at /m)
    assert.match(finished[1]?.err ?? '', /The stream was cut off before its end/)
    assert.equal(finished[1]?.out, `${JSON.stringify(user)}\n`)
  })

  it('does not report a 404 from another program, or of a wrong prefix, as a missing user', async (t) => {
    const problem = { type: 'x', title: 'x', status: 404, detail: 'No.', instance: 'x' }
    const answers: [number, number, string, unknown][] = [
      [1, 404, 'text/html', '<h1>Not found</h1>'],
      [1, 403, 'text/html', '<h1>Forbidden</h1>'],
      [1, 409, 'text/html', '<h1>Conflict</h1>'],
      [1, 404, 'application/problem+json', { ...problem, code: 'not_found' }],
      [3, 404, 'application/problem+json', { ...problem, code: 'user_not_found' }],
    ]
    await Promise.all(
      answers.map(async ([expected, status, type, body]) => {
        const { url } = await startServer(t, (_, response) =>
          response
            .writeHead(status, { 'content-type': type })
            .end(typeof body === 'string' ? body : JSON.stringify(body)),
        )
        const env = { ROLLBOOK_URL: url, ROLLBOOK_API_KEY: 'some-key' }
        const { code, err } = await runCommand(['users', 'get', 'ada'], env)
        assert.equal(code, expected, err)
      }),
    )
  })

  it('writes an endless list as it arrives, and ends without an error when the reader leaves', async (t) => {
    let isOpen = true
    const { url } = await startServer(t, (_, response) => {
      response.writeHead(200, ndjson)
      const rows = `${JSON.stringify(user)}\n`.repeat(100)
      const more = () => {
        while (isOpen && response.write(rows));
      }
      response.on('drain', more).on('close', () => {
        isOpen = false
      })
      more()
    })
    for (const output of ['table', 'json', 'csv', 'ndjson']) {
      isOpen = true
      const env = { PATH: process.env.PATH, ROLLBOOK_API_KEY: 'some-key', ROLLBOOK_URL: url }
      const child = spawn(process.execPath, [executable, 'users', 'list', '--output', output], { env, stdio: 'pipe' })
      let errors = ''
      child.stderr.on('data', (part) => {
        errors += part
      })
      const whenClosed = once(child, 'close')
      for await (const part of child.stdout) if (String(part).includes(user.user_id)) break
      assert.deepEqual([await whenClosed, errors], [[0, null], ''], output)
      assert.ok(!isOpen, 'the server is told')
    }
  })

  it('exits with 130 after Ctrl-C', async (t) => {
    const { url } = await startServer(t, (_, response) =>
      response.writeHead(200, ndjson).write(`${JSON.stringify(user)}\n`),
    )
    const { child, outcome: ended } = startCommand(list, { ROLLBOOK_API_KEY: 'some-key', ROLLBOOK_URL: url })
    assert.ok(child.stdout)
    await once(child.stdout, 'data')
    child.kill('SIGINT')
    const { code, signal, err } = await ended
    assert.deepEqual([code, signal, err], [130, null, 'Interrupted.\n'])
  })

  it('escapes control characters in names, and uses bold text only on a terminal', async (t) => {
    // A title, a C1 cursor movement, reversed text, and a second line.
    const username = 'a\u001b]0;owned\u0007\u009b2J\u202etxt.exe\u2066\n\u2028x'
    const hostile = { ...user, username, first_name: '山田 ❤️', email: null }
    const { url } = await startServer(t, ({ url }, response) => {
      const rows = [hostile, user].map((row) => `${JSON.stringify(row)}\n`).join('')
      if (url?.includes('username=')) {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify([hostile]))
      } else if (url?.includes('limit=')) {
        // The page that a terminal shows.
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify([hostile, user]))
      } else response.writeHead(200, ndjson).end(rows)
    })
    const env = { ROLLBOOK_API_KEY: 'some-key', ROLLBOOK_URL: url }
    const run = (...args: string[]) => runCommand(['users', ...args], env)
    const [table, one, json, lines, template] = await Promise.all([
      run('list', '--columns', 'username,first_name,email'),
      run('get', 'ada'),
      run('list', '--json'),
      run('list', '--output', 'ndjson'),
      run('list', '--template', '{{username}}'),
    ])
    const obeyed = /[^\P{C}\n]|[\u2028\u2029]/u
    for (const { code, out } of [table, one, json, lines, template]) {
      assert.equal(code, 0)
      assert.doesNotMatch(out, obeyed)
    }
    assert.deepEqual(JSON.parse(json.out), [hostile, user])
    assert.equal(lines.out.trimEnd().split('\n').length, 2)
    const written = 'a\\u{1b}]0;owned\\u{7}\\u{9b}2J\\u{202e}txt.exe\\u{2066}\\u{a}\\u{2028}x'
    assert.ok(one.out.includes(`\nusername       ${written}\n`), one.out)
    assert.equal(template.out, `${written}\nada\n`)
    assert.equal(table.out.split('\n')[1], `${written}  山田 ❤️`)
    assert.equal(table.out.split('\n')[2]?.indexOf('ada@'), written.length + 2 + 'FIRST_NAME'.length + 2)

    const onTerminal = async (more: Record<string, string>) => {
      const child = spawn('script', ['-qec', `${process.execPath} ${executable} users list`, '/dev/null'], {
        env: { PATH: process.env.PATH, TERM: 'xterm', ...env, ...more },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let out = ''
      child.stdout.on('data', (part) => {
        out += part
      })
      await once(child, 'close')
      return out
    }
    assert.ok((await onTerminal({})).startsWith('\u001b[1mUSER_ID'))
    assert.ok((await onTerminal({ NO_COLOR: '1' })).startsWith('USER_ID'))
  })
})

describe('a command on a terminal', () => {
  it('asks before a deletion, and twice for a password; n and Ctrl-C change nothing', async (t) => {
    const changes: string[] = []
    const { url } = await startServer(t, (request, response) => {
      const { method, url = '' } = request
      if (method !== 'GET') changes.push(`${method} ${url}`)
      const single = url.includes('/users/') ? user : [user]
      const done = { user_id: user.user_id, deleted: true, restorable_until: null }
      request
        .resume()
        .on('end', () =>
          response
            .writeHead(200, { 'content-type': 'application/json', etag: '"1"' })
            .end(JSON.stringify(method === 'DELETE' ? done : method === 'GET' ? single : user)),
        )
    })
    const env = { PATH: process.env.PATH, TERM: 'xterm', ROLLBOOK_API_KEY: 'some-key', ROLLBOOK_URL: url }

    /** Types each answer once its question has appeared. */
    async function talk(command: string, dialogue: [question: RegExp, answer: string][]): Promise<[number, string]> {
      // A terminal without a size would wrap each line after one character.
      const line = `stty cols 80 rows 24; ${process.execPath} ${executable} ${command}`
      const child = spawn('script', ['-qec', line, '/dev/null'], { env, stdio: 'pipe' })
      let [said, from, step] = ['', 0, 0]
      child.stdout.on('data', (part) => {
        said += part
        const [question, reply] = dialogue[step] ?? []
        if (question?.test(said.slice(from))) {
          from = said.length
          step += 1
          child.stdin.write(reply as string)
        }
      })
      const [code] = (await once(child, 'close')) as [number]
      assert.equal(step, dialogue.length, said)
      return [code, said]
    }

    assert.equal((await talk('users delete ada', [[/Delete ada \(ada@example\.com\)\?/, 'n\r']]))[0], 1)
    assert.equal((await talk('users delete ada', [[/Delete ada/, '\x03']]))[0], 130)
    assert.deepEqual(changes, [])
    assert.equal((await talk('users delete ada', [[/Delete ada/, 'y\r']]))[0], 0)
    assert.deepEqual(changes.splice(0), [`DELETE /auth/users/${user.user_id}?purge=false`])
    const secret = 'a password for ada alone'
    const [code, said] = await talk('users create ada --ask-password', [
      [/New password/, `${secret}\r`],
      [/New password, again/, `${secret}\r`],
    ])
    assert.equal(code, 0, said)
    assert.doesNotMatch(said, /a password for/)
    assert.deepEqual(changes.splice(0), ['POST /auth/users'])
    const [other] = await talk('users create ada --ask-password', [
      [/New password/, `${secret}\r`],
      [/New password, again/, 'something else\r'],
    ])
    assert.equal(other, 2)
    assert.deepEqual(changes, [])
  })
})
