/** What few deployments use is loaded with its first use: an idle server stays small. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { waitUntil } from '../nodes/nodes.ts'
import { makeDirectory, startService } from './process.ts'

/** Writes, when the process or a thread of it ends, what it has loaded. */
const watch = (file: string) =>
  `--import=data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  import { isMainThread } from 'node:worker_threads'
  const loaded = new Set()
  registerHooks({ load: (url, context, next) => (loaded.add(url.split('node_modules/').at(-1)), next(url, context)) })
  if (isMainThread) process.on('exit', () => process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(file)},
    JSON.stringify({ loaded: [...loaded], builtin: process.moduleLoadList })))
`)}`

/** Packages for what a setting or a request asks for. */
const onFirstUse = [
  'nodemailer',
  'openid-client',
  'ldapts',
  'xml-crypto',
  '@xmldom',
  'xpath',
  'otpauth',
  'uqr',
  '@simplewebauthn',
  '@peculiar',
  'pg',
  'age-encryption',
  'csv-parse',
  'csv-stringify',
  'prom-client',
  '@fastify/http-proxy',
  'commander',
]

describe('a server that was just started', () => {
  it('has loaded what every request needs, and nothing that few settings and requests need', async (t) => {
    const directory = makeDirectory(t)
    const file = join(directory, 'loaded.json')
    const service = await startService(t, { directory, env: { NODE_OPTIONS: watch(file) } })
    assert.equal((await service.call('GET', '/users')).status, 200)
    await service.end('SIGTERM')
    const { loaded, builtin } = JSON.parse(readFileSync(file, 'utf8')) as Record<'loaded' | 'builtin', string[]>
    assert.ok(loaded.some((name) => name.endsWith('/built/main.js')))
    assert.deepEqual(
      onFirstUse.filter((name) => loaded.some((one) => one.startsWith(`${name}/`))),
      [],
    )
    // Node's own client, which an `import` of `node:http` loads (see src/lib/node-http.ts).
    assert.ok(builtin.some((name) => name.endsWith(' _http_server')))
    assert.deepEqual(
      builtin.filter((name) => name.includes('undici')),
      [],
    )
  })

  it('gives back what only the start needed', async (t) => {
    // As our commands start it.
    const through = ['sh', '-c', 'exec "$0" --expose-gc "$@"']
    const { pid } = await startService(t, { directory: makeDirectory(t), through })
    const resident = () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
    const atFirst = resident()
    await waitUntil('4 MiB are given back', 30_000, async () => resident() < atFirst - 4)
  })
})
