import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { makeDirectory, runService, startService } from '../../../test/durability/process.ts'
import { anyEngine, start } from '../../../test/harness.ts'
import { parseScrape } from '../../../test/scrape.ts'
import { createLog } from '../../app/log.ts'
import { openOwnPort } from './own-port.ts'

const log = createLog('silent')
const place = { host: '127.0.0.1', port: 0 }

async function open(t: TestContext) {
  const app = await start(t, anyEngine)
  const port = await openOwnPort(app.metrics, place, log)
  t.after(() => port.close())
  return { app, url: port.url }
}

describe('the port for Prometheus', () => {
  it('serves the metrics without a key, and nothing else', async (t) => {
    const { url } = await open(t)
    const response = await fetch(url)
    assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
    assert.equal(parseScrape(await response.text()).value('rollbook_ready'), 1)
    for (const path of ['/', '/users', '/auth/users', '/auth/metrics', '/metrics/', '/metricsx']) {
      const { status } = await fetch(new URL(path, url), { headers: { 'x-api-key': 'whatever it is' } })
      assert.equal(status, 404, path)
    }
    const posted = await fetch(url, { method: 'POST', body: 'x' })
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD'])
    const head = await fetch(url, { method: 'HEAD' })
    assert.deepEqual([head.status, await head.text()], [200, ''])
  })

  it('answers many simultaneous requests with one reading, and each completely', async (t) => {
    const { url, app } = await open(t)
    const looks = await Promise.all(Array.from({ length: 40 }, () => app.metrics.scrape()))
    assert.equal(new Set(looks).size, 1)
    const texts = await Promise.all(Array.from({ length: 40 }, async () => (await fetch(url)).text()))
    for (const text of texts) assert.equal(parseScrape(text).value('rollbook_store_readable'), 1)
  })

  it('is opened if configured, and keeps serving while the service stops', async (t) => {
    const env = { ROLLBOOK_METRICS_PORT: '0', ROLLBOOK_LEAVE_SECONDS: '1' }
    const service = await startService(t, { directory: makeDirectory(t), env })
    const url = await toldIn(service.log)
    assert.equal(parseScrape(await (await fetch(url)).text()).value('rollbook_ready'), 1)
    const exited = service.end('SIGTERM')
    let ready = 1
    for (let i = 0; ready === 1 && i < 1000; i++) {
      ready = parseScrape(await (await fetch(url)).text()).value('rollbook_ready') ?? Number.NaN
    }
    assert.equal(ready, 0)
    assert.deepEqual(await exited, { code: 0, signal: null })
  })

  it('stops the start if it is taken, and says which setting to change', async (t) => {
    const { url } = await open(t)
    const env = { ROLLBOOK_METRICS_PORT: new URL(url).port }
    const { code, errors } = await runService({ directory: makeDirectory(t), env })
    assert.equal(code, 1)
    assert.match(errors, /EADDRINUSE.*ROLLBOOK_METRICS_PORT/)
  })
})

/** The log is written with a delay. */
async function toldIn(log: () => string): Promise<string> {
  for (let i = 0; i < 1000; i++) {
    const line = log()
      .split('\n')
      .find((one) => one.includes('listening for Prometheus'))
    if (line !== undefined) return JSON.parse(line).url
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  assert.fail(`the port is not in the log: ${log()}`)
}
