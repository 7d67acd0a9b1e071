import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { executable, startCommand } from '../../../test/command-process.ts'
import { createLog } from '../../app/log.ts'
import { readableLog } from './readable-log.ts'

const csi = '\x1b['

/** Serves on a terminal, as `rollbook serve` in a shell does. */
async function serveOnTerminal(t: TestContext, more: Record<string, string> = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'rollbook-terminal-'))
  const line = `stty cols 200 rows 50; exec ${process.execPath} ${executable} serve`
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    env: { PATH: process.env.PATH, TERM: 'xterm', ROLLBOOK_PORT: '0', ROLLBOOK_DATA_DIR: dataDir, ...more },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.on('data', (part) => {
    out += part
  })
  const closed = once(child, 'close') as Promise<[number]>
  t.after(async () => {
    child.kill()
    await closed
    rmSync(dataDir, { recursive: true, force: true })
  })
  const shows = async (text: string | RegExp) => {
    for (const start = Date.now(); out.search(text) === -1; await sleep(20)) {
      assert.ok(Date.now() - start < 60_000, `${text} is missing: ${out}`)
    }
  }
  await shows(/Create a user:[\s\S]*\/users/)
  const url = /Rollbook serves (\S+)/.exec(out)?.[1] as string
  return {
    url,
    key: existsSync(join(dataDir, 'admin-key')) ? readFileSync(join(dataDir, 'admin-key'), 'utf8').trim() : '',
    shows,
    /** Presses Ctrl-C, and returns all that the terminal showed. */
    async interrupt() {
      child.stdin.write('\x03')
      const [code] = await closed
      return { code, out: out.replaceAll('\r\n', '\n') }
    },
  }
}

describe('the log on a terminal', () => {
  it('shows a short line per request, and the banner, the link and the key once', async (t) => {
    const { url, key, shows, interrupt } = await serveOnTerminal(t)
    const headers = { 'x-api-key': key }
    await fetch(`${url}/users?q=secretname`, { headers })
    await fetch(`${url}/keys/${key}`, { headers })
    const pages = await Promise.all(['/docs', '/login'].map(async (page) => (await fetch(url + page)).text()))
    const files = pages.flatMap((page) => page.match(/(?:docs|login)\/assets\/[^"\s]+/g) ?? [])
    const html = await (await fetch(`${url}/console/`)).text()
    files.push(...(html.match(/assets\/[^"\s]+/g) ?? []).map((file) => `console/${file}`))
    for (const kind of ['docs', 'login', 'console'])
      assert.ok(
        files.some((file) => file.startsWith(kind)),
        kind,
      )
    for (const file of files) assert.equal((await fetch(`${url}/${file}`)).status, 200, file)
    await fetch(new URL('/favicon.ico', url))
    for (let round = 0; round < 3; round++) await fetch(`${url}/health/ready`)
    await fetch(`${url}/console/assets/gone.js`)
    await fetch(`${url}/users`)
    await shows(/401/)
    const { code, out } = await interrupt()
    assert.equal(code, 0, out)
    assert.ok(out.includes(` GET /auth/users ${csi}32m200${csi}39m ${csi}2m`), out)
    assert.match(stripVTControlCharacters(out), /^\d\d:\d\d:\d\d GET \/auth\/users 200 (<1|\d+) ms$/m)
    assert.ok(out.includes(`GET /auth/users ${csi}33m401${csi}39m `), out)
    const text = stripVTControlCharacters(out)
    const lines = text.split('\n')
    const of = (path: string) => lines.filter((line) => line.includes(` ${path} `)).length
    assert.equal(of('GET /auth/health/ready'), 1, text)
    assert.equal(of('GET /auth/console/assets/gone.js'), 1, text)
    assert.equal(lines.filter((line) => line.includes('/assets/') || line.includes('favicon')).length, 1, text)
    assert.equal(text.split(key).length, 2, text)
    assert.ok(text.includes('(shown at this start only; the file keeps it)'))
    assert.ok(text.includes('/auth/console/setup#token='))
    assert.ok(text.includes(' GET /auth/keys/[long] 405 '), text)
    assert.doesNotMatch(text, /secretname|"level"|Server listening/)
    assert.ok(text.indexOf(' listening url=') < text.indexOf('Rollbook serves'), text)
    assert.match(text, / stopping: [^\n]+ SIGINT\n.* stopped\n/)
  })

  it('has no colour with NO_COLOR or on a dumb terminal, and shows local time', async (t) => {
    for (const more of [{ NO_COLOR: '1' }, { TERM: 'dumb' }, { TERM: 'dumb', FORCE_COLOR: '1' }]) {
      const { url, shows, interrupt } = await serveOnTerminal(t, { ...more, TZ: 'Asia/Kolkata' })
      const before = Date.now()
      await fetch(`${url}/users`)
      await shows(/GET \/auth\/users/)
      const { out } = await interrupt()
      assert.equal(out.includes(csi), 'FORCE_COLOR' in more, out)
      const [, hour, minute] = /(\d\d):(\d\d):\d\d GET \/auth\/users/.exec(stripVTControlCharacters(out)) ?? []
      const there = new Date(before + 5.5 * 3_600_000)
      const apart = Number(hour) * 60 + Number(minute) - (there.getUTCHours() * 60 + there.getUTCMinutes())
      assert.ok([0, 1, -1439].includes(apart), out)
    }
  })

  it('names what could not be read', async (t) => {
    const { url, shows, interrupt } = await serveOnTerminal(t, { NO_COLOR: '1' })
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.end('NONSENSE\r\n\r\n')
    await shows(/\d unreadable request 400 fault=HPE_INVALID_METHOD\r\n/)
    assert.equal((await interrupt()).code, 0)
  })
})

describe('the log elsewhere', () => {
  it('is JSON, whatever FORCE_COLOR says', async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'rollbook-pipe-'))
    t.after(() => rmSync(dataDir, { recursive: true, force: true }))
    const { child, outcome: ended } = startCommand(['serve'], {
      ROLLBOOK_PORT: '0',
      ROLLBOOK_DATA_DIR: dataDir,
      FORCE_COLOR: '1',
    })
    let err = ''
    child.stderr?.on('data', (part) => {
      err += part
    })
    for (const start = Date.now(); !err.includes('Create a user'); await sleep(20)) {
      assert.ok(Date.now() - start < 60_000, err)
    }
    await fetch(`${/Rollbook serves (\S+)/.exec(err)?.[1]}/health/live`)
    child.kill('SIGINT')
    const { code, out } = await ended
    assert.equal(code, 0)
    const events = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.ok(
      events.some(({ path, status }) => path === '/auth/health/live' && status === 200),
      out,
    )
    assert.ok(events.every(({ service }) => service === 'rollbook'))
  })
})

describe('a line of the log', () => {
  const show = readableLog('/auth')
  const read = (event: object) =>
    stripVTControlCharacters(show([`${JSON.stringify({ level: 'info', time: new Date().toISOString(), ...event })}\n`]))
  const request = {
    request_id: 'r1',
    method: 'GET',
    path: '/auth/users',
    status: 200,
    ms: 8.4,
    actor: 'a',
    address: 'b',
  }

  it('names the reason of a failed request, and its id', () => {
    assert.match(read(request), /^\d\d:\d\d:\d\d GET \/auth\/users 200 8 ms\n$/)
    const failed = {
      level: 'warn',
      status: 503,
      code: 'storage_unavailable',
      reason: 'disk full',
      msg: 'request failed',
    }
    assert.match(
      read({ ...request, ...failed }),
      / GET \/auth\/users 503 8 ms storage_unavailable: disk full request_id=r1\n$/,
    )
  })

  it('shows a warning or an error with its cause and, for a fault of ours, where it was', () => {
    let line = ''
    const log = createLog('info', {
      write(text) {
        line = text
      },
    })
    log.error({ request_id: 'r1', code: 'internal_error', err: new TypeError('x is not a function') }, 'request failed')
    const text = stripVTControlCharacters(show([line]))
    assert.match(text, / error: request failed internal_error: x is not a function request_id=r1\n {4}at /)
    log.warn({ err: Object.assign(new Error('busy'), { code: 'ECONNREFUSED' }), password: 'hidden' }, 'retrying')
    assert.doesNotMatch(show([line]), /hidden/)
    assert.match(stripVTControlCharacters(show([line])), / warning: retrying /)
  })

  it('obeys no control character', () => {
    assert.ok(read({ ...request, path: '/auth/\x9b2J\u202e' }).includes('GET /auth/\\u{9b}2J\\u{202e} 200'))
    assert.ok(read({ level: 'warn', msg: 'a\x1b]0;owned\x07' }).includes('a\\u{1b}]0;owned\\u{7}'))
  })

  it('of a health check or a scrape shows only changes', () => {
    const probe = (path: string, status: number) => read({ ...request, path, status })
    for (const path of ['/auth/health/ready', '/auth/health/live', '/auth/metrics']) {
      const isLogged = [200, 200, 503, 503, 200].map((status) => probe(path, status) !== '')
      assert.deepEqual(isLogged, [true, false, true, false, true])
    }
  })

  it('says that lines were dropped', () => {
    assert.match(
      stripVTControlCharacters(show(['{"level":"warn","msg":"3 lines were dropped"}\n'])),
      / warning: 3 lines/,
    )
  })
})
