import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { backFrom, pathOf, submit } from '../../../test/cli-login.ts'
import { runCommand, startCommand } from '../../../test/command-process.ts'
import { makeDirectory } from '../../../test/durability/process.ts'
import { anyEngine, type Started, start } from '../../../test/harness.ts'
import { serveHttp } from '../../../test/http-server.ts'
import { type Browser, createPerson, openBrowser } from '../../../test/people.ts'
import { eventually } from '../../../test/webhooks/dispatching.ts'
import { RollbookClient } from '../../sdk/client/index.ts'
import { lacksBrowser } from './browser.ts'
import { loginByLoopback } from './loopback.ts'

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))

type Beside = { app: Started; url: string; home: string; env: Record<string, string>; browser: Browser }

/** A service with a user, and a machine with an empty home. Its browser is a program that does nothing. */
async function startBeside(t: TestContext, settings: Record<string, string> = {}): Promise<Beside> {
  const app = await start(t, anyEngine, { env: { ROLLBOOK_ROLES: '{"support": ["users:read"]}', ...settings } })
  const url = await app.listen()
  await createPerson(app, { username: 'ada', role: 'support' })
  const home = makeDirectory(t)
  return { app, url, home, env: { HOME: home, BROWSER: 'true' }, browser: await openBrowser(app, 'ada') }
}

const profilesOf = (home: string) => JSON.parse(readFileSync(fileOf(home), 'utf8'))
const fileOf = (home: string) => join(home, '.config', 'rollbook', 'profiles.json')

/** Starts the command, and returns what it says once that matches. */
async function startLogin(args: string[], env: Record<string, string>, said: RegExp) {
  const { child, outcome } = startCommand(['login', ...args], env)
  let err = ''
  child.stderr?.on('data', (part) => {
    err += part
  })
  await eventually('The command says where to sign in', () => said.test(err) || child.exitCode !== null)
  const [, found = ''] = said.exec(err) ?? []
  return { child, outcome, found }
}

describe('rollbook login', () => {
  it('signs in through the browser of the machine, and out again', async (t) => {
    const { app, url, home, env, browser } = await startBeside(t)
    const args = [
      '--server',
      url,
      '--permissions',
      'users:read,audit:read',
      '--expires',
      '8h',
      '--name',
      'desk',
      '--profile',
      'work',
    ]
    const { outcome, found } = await startLogin(args, env, /(http:\S+\/cli-login\/\S+)\n/)
    const back = backFrom(await submit(browser, pathOf(found), { decision: 'approve' }))
    // Any page and any program may call the port.
    const state = back.searchParams.get('state') ?? ''
    const other = new URL(back)
    other.searchParams.set('state', 'of another sign-in')
    assert.equal((await fetch(other)).status, 400)
    assert.equal((await fetch(new URL('/favicon.ico', back))).status, 404)
    const received = await fetch(back, { redirect: 'manual' })
    assert.deepEqual([received.status, received.headers.get('location')], [303, `${url}/cli-login/done`])
    const { code, err, out } = await outcome
    assert.equal(code, 0, err)
    assert.match(
      err,
      /Signed in at .* as ada, until .*\. The key may do: users:read\.\nWithout audit:read, which you may not do yourself\./,
    )
    const { current, profiles } = profilesOf(home)
    assert.equal(current, 'work')
    assert.equal(statSync(fileOf(home)).mode & 0o777, 0o600)
    const { key, key_id } = profiles.work
    for (const secret of [key, back.searchParams.get('code') ?? '', state]) assert.ok(!`${out}${err}`.includes(secret))
    const me = await runCommand(['whoami', '--json'], env)
    const { username, key_id: own, permissions } = JSON.parse(me.out)
    assert.deepEqual([username, own, permissions], ['ada', key_id, ['users:read']])

    const loggedOut = await runCommand(['logout'], env)
    assert.deepEqual([loggedOut.code, profilesOf(home)], [0, { profiles: {} }], loggedOut.err)
    assert.equal((await app.call('GET', '/me', { key })).status, 401)
    const again = await runCommand(['logout'], env)
    assert.deepEqual([again.code, /Name one with --profile/.test(again.err)], [3, true], again.err)
  })

  it('signs in with a code, and says why not', async (t) => {
    const { url, home, env, browser } = await startBeside(t)
    const args = ['--server', url, '--device', '--profile', 'server', '--json']
    const code = /^ {4}(\S+)$/m
    const device = await startLogin(args, env, code)
    assert.match(
      (await submit(browser, '/cli-login', { user_code: device.found, decision: 'approve' })).text,
      /signed in/,
    )
    const done = await device.outcome
    assert.equal(done.code, 0, done.err)
    assert.deepEqual(JSON.parse(done.out).permissions, ['users:read'])
    assert.equal(profilesOf(home).current, 'server')

    // Over SSH by itself. Refused in the browser, stopped by the operator, and a server that is no Rollbook.
    const { BROWSER: _, ...ssh } = { ...env, SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' } as Record<string, string>
    const refused = await startLogin(['--server', url], ssh, code)
    await submit(browser, '/cli-login', { user_code: refused.found, decision: 'refuse' })
    const stopped = await startLogin(['--server', url], env, /(http:\S+\/cli-login\/\S+)\n/)
    stopped.child.kill('SIGINT')
    const interrupted = await stopped.outcome
    assert.deepEqual([interrupted.code, interrupted.err.endsWith('Interrupted.\n')], [130, true])
    const outcome = await refused.outcome
    assert.equal(outcome.code, 4)
    assert.match(
      outcome.err,
      /^This is a session over SSH[\s\S]*The sign-in was refused in the browser\. Nothing was stored\.\n$/,
    )
    assert.deepEqual(Object.keys(profilesOf(home).profiles), ['server'])
  })

  it('receives the code on IPv6 where the machine has no IPv4', { skip: !hasIpv6 && 'there is no IPv6' }, async (t) => {
    const { url, browser } = await startBeside(t)
    const { BROWSER } = process.env
    process.env.BROWSER = 'true'
    t.after(() => {
      if (BROWSER === undefined) delete process.env.BROWSER
      else process.env.BROWSER = BROWSER
    })
    const { cliLogins } = new RollbookClient({ url })
    const opened = Promise.withResolvers<string>()
    const create: typeof cliLogins.create = async (...input) => {
      const created = await cliLogins.create(...input)
      opened.resolve(created.login_uri ?? '')
      return created
    }
    const client = { cliLogins: { create, exchange: cliLogins.exchange.bind(cliLogins) } as typeof cliLogins }
    // TEST-NET-1 (RFC 5737), which no machine has.
    const wanted = { request: { name: 'six' }, url, addresses: ['192.0.2.1', '::1'] }
    const login = loginByLoopback(client, wanted, new AbortController().signal)
    const back = backFrom(await submit(browser, pathOf(await opened.promise), { decision: 'approve' }))
    assert.equal(back.hostname, '[::1]')
    assert.equal((await fetch(back, { redirect: 'manual' })).status, 303)
    assert.deepEqual([(await login).username, (await login).name], ['ada', 'six'])
  })

  it('explains a server that does not offer it', async (t) => {
    const { url, env } = await startBeside(t, { ROLLBOOK_CLI_LOGIN: 'loopback' })
    const narrow = await runCommand(['login', '--server', url, '--device'], env)
    assert.deepEqual([narrow.code, /Device codes are not enabled here/.test(narrow.err)], [1, true], narrow.err)
    const older = await serveHttp(t, (_, response) => {
      response.writeHead(404, { 'content-type': 'application/problem+json' })
      response.end(
        '{"type":"x","title":"t","status":404,"detail":"There is no operation.","instance":"i","code":"not_found"}',
      )
    })
    const old = await runCommand(['login', '--server', `${older.origin}/auth`], env)
    assert.deepEqual([old.code, /older than this command/.test(old.err)], [1, true], old.err)
    const usage = await runCommand(['login', '--server', url, '--expires', 'soon'], env)
    assert.equal(usage.code, 2)
  })

  it('knows a machine without a browser', () => {
    assert.equal(lacksBrowser({ SSH_TTY: '/dev/pts/0', DISPLAY: ':0' }, 'linux'), 'This is a session over SSH')
    assert.equal(lacksBrowser({}, 'linux'), 'This machine has no display')
    for (const env of [{ DISPLAY: ':0' }, { WAYLAND_DISPLAY: 'w' }, { BROWSER: 'firefox', SSH_TTY: 'x' }]) {
      assert.equal(lacksBrowser(env, 'linux'), undefined)
    }
    assert.equal(lacksBrowser({}, 'darwin'), undefined)
  })
})
