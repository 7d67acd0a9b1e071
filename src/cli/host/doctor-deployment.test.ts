import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { runCommand } from '../../../test/command-process.ts'
import { makeDirectory } from '../../../test/durability/process.ts'
import { freePort } from '../../../test/free-port.ts'
import { adminKey, anyEngine, type Started, start } from '../../../test/harness.ts'
import { serveHttp } from '../../../test/http-server.ts'
import { selfSigned } from '../../../test/proxies/certificate.ts'
import { findProxy } from '../../../test/proxies/find.ts'
import { startProduct } from '../../../test/proxies/product.ts'
import { proxyKinds, startProxy } from '../../../test/proxies/proxy.ts'
import { signingKey } from '../../../test/saml-provider.ts'
import type { Finding } from '../../operations/doctor/finding.ts'

// What a proxy does to responses does not depend on the store.
const engine = anyEngine

type Report = { ok: boolean; findings: Finding[] }

async function doctor(t: TestContext, url: string, { key = adminKey as string | null, env = {} } = {}) {
  const directory = makeDirectory(t)
  const file = join(directory, 'key')
  writeFileSync(file, `${key}\n`)
  const keyArguments = key === null ? [] : ['--key-file', file]
  const args = ['doctor', '--only', 'deployment', '--url', url, '--json', ...keyArguments]
  const { code, out, err } = await runCommand(args, { HOME: directory, ...env })
  const report = JSON.parse(out) as Report
  assert.equal(code, report.ok ? 0 : 1, err)
  const that = (status: Finding['status']) => report.findings.filter((one) => one.status === status)
  return {
    ...report,
    failed: that('failed').map(({ check }) => check),
    warnings: that('warning'),
    skipped: that('skipped'),
  }
}

type Faults = {
  /** Changes the headers of a request. */
  edit?(headers: IncomingHttpHeaders, client: string): OutgoingHttpHeaders
  editAnswer?(headers: OutgoingHttpHeaders): void
  path?(path: string): string
  /** Buffers complete responses. */
  buffers?: true
  secure?: true
}

const passes = (headers: IncomingHttpHeaders, client: string, secure: boolean): OutgoingHttpHeaders => ({
  ...headers,
  'x-forwarded-for': client,
  'x-forwarded-proto': secure ? 'https' : 'http',
})

/** A proxy with common faults. */
async function startFaulty(t: TestContext, port: number, target: number, faults: Faults): Promise<void> {
  const { edit, editAnswer = () => {}, path = (same: string) => same, buffers, secure = false } = faults
  const handler: RequestListener = (incoming, outgoing) => {
    const client = incoming.socket.remoteAddress ?? ''
    const headers = (edit ?? ((all) => passes(all, client, secure)))(incoming.headers, client)
    const forwarded = request({ port: target, method: incoming.method, path: path(incoming.url ?? '/'), headers })
    forwarded.on('response', (response) => {
      const received: OutgoingHttpHeaders = { ...response.headers }
      editAnswer(received)
      if (!buffers) {
        outgoing.writeHead(response.statusCode ?? 0, received)
        outgoing.flushHeaders()
        response.pipe(outgoing)
        return
      }
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => outgoing.writeHead(response.statusCode ?? 0, received).end(Buffer.concat(chunks)))
    })
    forwarded.on('error', () => outgoing.destroy())
    outgoing.on('close', () => forwarded.destroy())
    incoming.pipe(forwarded)
  }
  await serveHttp(t, handler, { port, secure })
}

type Deployed = { env?: Record<string, string>; faults?: Faults }

async function deploy(t: TestContext, { env = {}, faults = {} }: Deployed): Promise<{ app: Started; url: string }> {
  const port = await freePort()
  const url = faults.secure ? `https://localhost:${port}/auth` : `http://127.0.0.1:${port}/auth`
  const app = await start(t, engine, {
    env: { ROLLBOOK_PUBLIC_URL: url, ROLLBOOK_TRUSTED_PROXIES: '127.0.0.1', ...env },
  })
  await startFaulty(t, port, Number(new URL(await app.listen()).port), faults)
  return { app, url }
}

function assertFailed({ failed, findings }: Awaited<ReturnType<typeof doctor>>, expected: string[]): void {
  assert.deepEqual(failed, expected, JSON.stringify(findings, undefined, 2))
  for (const { status, advice } of findings) assert.ok(status === 'ok' || status === 'skipped' || advice)
}

describe('rollbook doctor of a deployment', () => {
  // One configuration keeps the prefix, the other strips it.
  for (const kind of proxyKinds.filter(({ name, prefix }) => (name === 'nginx') === (prefix === 'keeps'))) {
    it(`finds nothing wrong behind our configuration of ${kind.name} that ${kind.prefix} the prefix`, async (t) => {
      if ((await findProxy(kind.name)) === undefined) return t.skip(`there is no ${kind.name}`)
      const product = await startProduct(t)
      const port = await freePort()
      const url = `http://127.0.0.1:${port}/auth`
      const env = { ROLLBOOK_PUBLIC_URL: url, ROLLBOOK_TRUSTED_PROXIES: '127.0.0.1' }
      const app = await start(t, engine, { env })
      const rollbook = Number(new URL(await app.listen()).port)
      await startProxy(t, kind, { proxy: port, rollbook, product: product.port })
      const { findings, failed, warnings, skipped } = await doctor(t, url)
      assert.deepEqual(failed, [], JSON.stringify(findings, undefined, 2))
      assert.deepEqual([warnings, skipped], [[], []])
      const client = findings.find(({ check }) => check === 'client address')
      assert.match(client?.found ?? '', /^the service sees you as 127\.0\.0\.1, through the proxy 127\.0\.0\.1$/)
    })
  }

  it('warns of a SAML provider whose last certificate ends within 30 days', async (t) => {
    const { app, url } = await deploy(t, {})
    const ending = signingKey(2048, new Date(Date.now() + 10.5 * 86_400_000)).pem
    const body = {
      kind: 'saml',
      name: 'Example',
      entity_id: 'https://idp.example.com',
      sso_url: 'https://idp.example.com',
    }
    const created = await app.call('POST', '/connections', { body: { ...body, certificates: [ending] } })
    assert.equal(created.status, 201, created.text)
    const [warned, ...more] = (await doctor(t, url)).warnings
    assert.deepEqual([warned?.found, more], ['that of Example ends in 10 days', []])
    const certificates = [ending, signingKey().pem]
    await app.call('PATCH', `/connections/${created.body.connection_id}`, { body: { certificates } })
    assert.deepEqual((await doctor(t, url)).warnings, [])
  })

  it('finds nothing wrong over https', async (t) => {
    const { url } = await deploy(t, { faults: { secure: true } })
    const authority = join(makeDirectory(t), 'authority.pem')
    writeFileSync(authority, selfSigned.cert)
    const { findings, failed, warnings } = await doctor(t, url, { env: { NODE_EXTRA_CA_CERTS: authority } })
    assert.deepEqual([failed, warnings], [[], []], JSON.stringify(findings, undefined, 2))
    const found = Object.fromEntries(findings.map((one) => [one.check, one.found]))
    assert.match(found.cookies ?? '', /^__Host-rollbook/)
    assert.match(found.certificate ?? '', /^trusted, valid for \d+ more days$/)
    const untrusted = await doctor(t, url)
    assert.deepEqual(untrusted.failed, ['reached'])
    assert.match(untrusted.findings[0]?.advice ?? '', /certificate/)
  })

  it('checks what it can without a key, and says what it skipped', async (t) => {
    const { url } = await deploy(t, {})
    const { failed, skipped } = await doctor(t, url, { key: null })
    assert.deepEqual(failed, [])
    assert.deepEqual(
      skipped.map(({ check }) => check),
      ['what the service sees'],
    )
    const unknown = await doctor(t, url, { key: 'a-key-that-this-service-has-never-seen' })
    assert.deepEqual(unknown.failed, ['key'])
  })

  const deployments: { of: string; deployed: Deployed; failed: string[] }[] = [
    {
      of: 'a proxy that is not trusted',
      deployed: { env: { ROLLBOOK_TRUSTED_PROXIES: '' } },
      failed: ['client address'],
    },
    {
      of: 'an https proxy that does not say so',
      deployed: { faults: { secure: true, edit: (headers, client) => passes(headers, client, false) } },
      failed: ['scheme'],
    },
    {
      of: 'a service that does not know of https',
      deployed: { env: { ROLLBOOK_PUBLIC_URL: '' }, faults: { secure: true } },
      failed: ['cookies', 'public URL'],
    },
    {
      of: 'a service that believes in another address',
      deployed: { env: { ROLLBOOK_PUBLIC_URL: 'http://127.0.0.1:1/other' } },
      failed: ['prefix', 'public URL'],
    },
  ]

  for (const { of, deployed, failed } of deployments) {
    it(`finds ${of}, with advice`, async (t) => {
      const { url } = await deploy(t, deployed)
      const authority = join(makeDirectory(t), 'authority.pem')
      writeFileSync(authority, selfSigned.cert)
      assertFailed(await doctor(t, url, { env: { NODE_EXTRA_CA_CERTS: authority } }), failed)
    })
  }

  const proxies: { that: string; faults: Faults; failed: string[] }[] = [
    {
      that: 'does not say whom it speaks for',
      faults: { edit: ({ 'x-forwarded-for': _, ...rest }) => ({ ...rest, 'x-forwarded-proto': 'http' }) },
      failed: ['client address'],
    },
    {
      that: 'hands on what anybody claims of the address',
      faults: { edit: (headers, client) => ({ ...headers, 'x-forwarded-for': headers['x-forwarded-for'] ?? client }) },
      failed: ['forged address'],
    },
    {
      that: 'keeps keys and cookies to itself',
      faults: { edit: ({ cookie: _, authorization: __, ...rest }, client) => passes(rest, client, false) },
      failed: ['credentials', 'cookies'],
    },
    {
      that: 'holds answers back until they are whole',
      faults: { buffers: true },
      failed: ['event streams'],
    },
    {
      that: 'has headers of its own',
      faults: {
        editAnswer(headers) {
          headers['content-security-policy'] = "default-src 'self'"
          delete headers['x-content-type-options']
        },
      },
      failed: ['security headers', 'security headers', 'docs page', 'sign-in page'],
    },
    {
      that: 'leads elsewhere',
      faults: { path: (path) => path.replace('/auth', '/auth/nowhere') },
      failed: ['reached'],
    },
  ]

  it('finds what a proxy does wrong, with advice', async (t) => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/auth`
    const app = await start(t, engine, {
      env: { ROLLBOOK_PUBLIC_URL: url, ROLLBOOK_TRUSTED_PROXIES: '127.0.0.1' },
    })
    const rollbook = Number(new URL(await app.listen()).port)
    for (const { that, faults, failed } of proxies) {
      await t.test(`that it ${that}`, async (t) => {
        await startFaulty(t, port, rollbook, faults)
        assertFailed(await doctor(t, url), failed)
      })
    }
  })

  it('finds a closed port, another program, and a redirect from http to https', async (t) => {
    const port = await freePort()
    const nobody = await doctor(t, `http://127.0.0.1:${port}/auth`)
    assert.deepEqual(nobody.failed, ['reached'])
    const respond = (incoming: IncomingMessage, outgoing: ServerResponse) => {
      if (incoming.url?.startsWith('/moved')) {
        outgoing.writeHead(301, { location: `https://example.com${incoming.url.slice(6)}` }).end()
      } else outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Orchard</h1>')
    }
    await serveHttp(t, respond, { port })
    const other = await doctor(t, `http://127.0.0.1:${port}/auth`)
    assert.deepEqual(other.failed, ['reached'])
    assert.match(other.findings[0]?.advice ?? '', /^Another program responds/)
    const moved = await doctor(t, `http://127.0.0.1:${port}/moved/auth`)
    assert.equal(moved.findings[0]?.advice, 'Use that address: --url https://example.com/auth')
  })
})
