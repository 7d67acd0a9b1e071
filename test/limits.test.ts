/** Files that are small to send and large to read, against the service as its own process. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { makePlace, type Service, startService } from './durability/process.ts'
import { adminKey, engines } from './harness.ts'

const mebibyte = 1024 * 1024
const [csv, ndjson] = ['text/csv', 'application/x-ndjson']
const header = 'username,email\n'

/** How each body begins, what fills the rest, and its status when sent as it is. Rejected rows are part of a response 200. */
const bodies: [name: string, type: string, start: string, filling: string, status: number][] = [
  ['a row of commas', csv, header, ',', 400],
  ['a header of commas', csv, '', ',', 400],
  ['a header of names', csv, '', 'attributes.a,', 400],
  ['a header of many names in a line', csv, `${'a,'.repeat(2000)}\n`, ',', 422],
  ['rows with more cells than columns', csv, header, `${','.repeat(60)}\n`, 200],
  ['empty lines', csv, header, '\n', 200],
  ['empty lines of old Macs', csv, 'username,email\r', '\r', 200],
  ['quotes and line ends', csv, header, '"\n', 200],
  ['a quote that is not closed', csv, `${header}"`, 'a', 400],
  ['doubled quotes', csv, `${header}"`, '""', 400],
  ['empty lines', ndjson, '', '\n', 200],
  ['lines of spaces', ndjson, '', ' \r\n', 200],
  ['a line without end', ndjson, '', 'a', 200],
  ['brackets', ndjson, '', '[', 200],
]

for (const engine of engines) {
  describe(`bodies that are small to send and large to read on ${engine.name}`, () => {
    it('are refused, or read in little memory while others are served', async (t: TestContext) => {
      const service = await startService(t, await makePlace(t, engine))
      for (const [name, type, start, filling, status] of bodies) {
        const packed = gzipSync(Buffer.concat([Buffer.from(start), Buffer.alloc(50 * mebibyte, filling)]))
        const refused = await send(service, type, packed, { 'content-encoding': 'gzip' })
        assert.ok([400, 413, 422].includes(refused), `${name}, ${packed.length} bytes of gzip: ${refused}`)
        const plain = Buffer.concat([Buffer.from(start), Buffer.alloc(mebibyte, filling)])
        assert.equal(await send(service, type, plain), status, name)
      }
      // Before, 50 KiB of gzip took 2 GB. The caches of SQLite are 100 of it; on a busy machine memory is freed later.
      const peak = peakOf(service)
      assert.ok(peak === undefined || peak < 480, `${peak} MB`)
    })
  })
}

/** Returns the status, after checks that the service answers others meanwhile. */
async function send({ url }: Service, type: string, body: Buffer, headers: Record<string, string> = {}) {
  let isOver = false
  const response = fetch(`${url}/users/import?dry_run=true`, {
    method: 'POST',
    headers: { 'x-api-key': adminKey, 'content-type': type, ...headers },
    body,
  }).finally(() => {
    isOver = true
  })
  while (!isOver) {
    const began = performance.now()
    assert.equal((await fetch(`${url}/health/live`)).status, 200)
    const took = performance.now() - began
    assert.ok(took < 5000, `the check of health took ${Math.round(took)} ms`)
    await sleep(20)
  }
  await (await response).body?.cancel()
  return (await response).status
}

/** The most memory that the process has used, in MB; Linux only. */
function peakOf({ pid }: Service): number | undefined {
  const file = `/proc/${pid}/status`
  if (!existsSync(file)) return undefined
  const [, kibibytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(file, 'utf8')) ?? []
  return Math.round(Number(kibibytes) / 1000)
}
