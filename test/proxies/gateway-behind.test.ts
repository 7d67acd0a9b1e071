/** The gateway behind Apache httpd and HAProxy, with the files of deploy/. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { findOrUnpack } from '../debian.ts'
import { freePort } from '../free-port.ts'
import { anyEngine, start } from '../harness.ts'
import { waitUntil } from '../nodes/nodes.ts'
import { createPerson, openBrowser } from '../people.ts'
import { selfSigned } from './certificate.ts'
import { navigation, openSocket, send } from './client.ts'
import { eventStream, startProduct } from './product.ts'

type Ports = { proxy: number; rollbook: number }

const deploy = join(import.meta.dirname, '../../deploy')

/** The shipped file with our ports and certificate. */
function shipped(file: string, edits: [from: string, to: string][]): string {
  return edits.reduce(
    (text, [from, to]) => {
      assert.ok(text.includes(from), `${file} has no ${from}`)
      return text.replaceAll(from, to)
    },
    readFileSync(join(deploy, file), 'utf8'),
  )
}

const proxies = {
  apache: {
    program: { name: 'apache2', package: 'apache2-bin', variable: 'APACHE_PATH' },
    configure(folder: string, program: string, { proxy, rollbook }: Ports): string[] {
      const site = shipped('apache/orchard.conf', [
        ['<VirtualHost *:443>', `<VirtualHost 127.0.0.1:${proxy}>`],
        ['/etc/ssl/orchard.pem', join(folder, 'cert.pem')],
        ['/etc/ssl/orchard.key', join(folder, 'key.pem')],
        ['http://127.0.0.1:8080/', `http://127.0.0.1:${rollbook}/`],
      ])
      const unpacked = join(dirname(program), 'root/usr/lib/apache2/modules')
      const modules = program.endsWith('/run') ? unpacked : '/usr/lib/apache2/modules'
      const names = ['mpm_event', 'authz_core', 'socache_shmcb', 'ssl', 'headers', 'proxy', 'proxy_http']
      const lines = [
        ...names.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`),
        `ServerRoot ${folder}`,
        `DefaultRuntimeDir ${folder}`,
        `PidFile ${folder}/pid`,
        // Node's pipes are sockets, which httpd cannot open by a path.
        'ErrorLog error.log',
        'User nobody',
        'Group nogroup',
        'ServerName localhost',
        `Listen 127.0.0.1:${proxy}`,
        site,
      ]
      writeFileSync(join(folder, 'httpd.conf'), lines.join('\n'))
      return ['-DFOREGROUND', '-f', join(folder, 'httpd.conf')]
    },
  },
  haproxy: {
    program: { name: 'haproxy', variable: 'HAPROXY_PATH' },
    configure(folder: string, _program: string, { proxy, rollbook }: Ports): string[] {
      writeFileSync(join(folder, 'both.pem'), selfSigned.cert + selfSigned.key)
      const text = shipped('haproxy/haproxy.cfg', [
        ['bind :443', `bind 127.0.0.1:${proxy}`],
        ['/etc/ssl/orchard-with-key.pem', join(folder, 'both.pem')],
        ['127.0.0.1:8080', `127.0.0.1:${rollbook}`],
      ])
      writeFileSync(join(folder, 'haproxy.cfg'), text)
      return ['-db', '-f', join(folder, 'haproxy.cfg')]
    },
  },
}

async function startInFront(t: TestContext, name: keyof typeof proxies, ports: Ports): Promise<void> {
  const { program, configure } = proxies[name]
  const file = await findOrUnpack(program)
  assert.ok(file !== undefined)
  const folder = mkdtempSync(join(tmpdir(), 'rollbook-front-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'cert.pem'), selfSigned.cert)
  writeFileSync(join(folder, 'key.pem'), selfSigned.key)
  mkdirSync(join(folder, 'logs'))
  const child = spawn(file, configure(folder, file, ports), { stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    errors += part
  })
  const whenEnded = once(child, 'close')
  t.after(async () => {
    child.kill('SIGTERM')
    await whenEnded
  })
  await waitUntil(`${name} listens`, 60_000, async () => {
    assert.equal(child.exitCode, null, errors)
    return isListening(ports.proxy)
  })
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(false)).once('connect', () => resolve(socket.destroy() !== undefined))
  })
}

for (const name of ['apache', 'haproxy'] as const) {
  const skip = (await findOrUnpack(proxies[name].program)) === undefined && `there is no ${name}`
  describe(`the gateway behind ${name}`, { skip }, () => {
    it('serves the product over TLS, with paths as they were sent, and believes the proxy alone', async (t) => {
      const product = await startProduct(t, { '/events': eventStream })
      const proxy = await freePort()
      const origin = `https://localhost:${proxy}`
      const env = {
        ROLLBOOK_UPSTREAM: product.origin,
        ROLLBOOK_PUBLIC_URL: `${origin}/auth`,
        ROLLBOOK_TRUSTED_PROXIES: '127.0.0.1',
      }
      const app = await start(t, anyEngine, { env })
      const rollbook = Number(new URL(await app.listen()).port)
      await startInFront(t, name, { proxy, rollbook })
      await createPerson(app, { username: 'ada' })
      const { cookie } = await openBrowser(app, 'ada')
      await waitUntil(
        'Rollbook is reached',
        60_000,
        async () => (await send(`${origin}/auth/health/ready`)).status === 200,
      )

      const unknown = await send(`${origin}/orders`, { headers: navigation })
      assert.equal(unknown.status, 302)
      assert.equal(
        (await send(new URL(unknown.headers.location ?? '', origin).href, { headers: navigation })).status,
        200,
      )

      const lies = {
        'remote-user': 'root',
        'x-forwarded-for': '192.0.2.1',
        'x-forwarded-host': 'evil.example.com',
        'x-forwarded-proto': 'http',
      }
      const path = '/a%2Fb//c%3Fd;e?x=%2F&y=1+2'
      const seen = (await send(origin, { path, headers: { cookie, ...lies } })).json()
      assert.equal(seen.url, path)
      const { headers } = seen
      assert.deepEqual(
        ['remote-user', 'host', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'].map((one) => headers[one]),
        ['ada', `localhost:${proxy}`, '127.0.0.1', `localhost:${proxy}`, 'https'],
      )
      product.received.length = 0
      // httpd makes one slash of two, so the second one is ours, which ada may not call.
      for (const refused of ['/x/../auth/users', '//auth/users', '/auth%2fusers'])
        assert.match(String((await send(origin, { path: refused, headers: { cookie } })).status), /^40[03]$/, refused)
      assert.deepEqual(product.received, [])

      const { socket, first } = await openSocket(`${origin}/live`, { cookie, origin })
      assert.equal(first.headers['remote-user'], 'ada')
      socket.terminate()

      const eventsRequest = get(`${origin}/events`, { headers: { cookie }, ca: selfSigned.cert, agent: false })
      const [events] = (await once(eventsRequest, 'response')) as [IncomingMessage]
      const [event] = await once(events, 'data')
      assert.equal(String(event), 'data: hello\n\n')
      events.destroy()
    })
  })
}
