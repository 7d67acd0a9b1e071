import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeDirectory, startService } from '../../test/durability/process.ts'

/** V8 then reports on standard output what it optimizes. The name of the flag in one piece would keep the compilers on. */
const reports = `--import=data:text/javascript,${encodeURIComponent(
  `import { setFlagsFromString } from 'node:v8'; setFlagsFromString(['--trace', 'o' + 'pt'].join('-'))`,
)}`

it('V8 optimizes nothing before the server listens, and what is called often from then on', async (t) => {
  const service = await startService(t, { directory: makeDirectory(t), env: { NODE_OPTIONS: reports } })
  const deadline = Date.now() + 60_000
  // Lines of the log are written in batches.
  while (!service.log().includes('"msg":"listening"') && Date.now() < deadline) await sleep(10)
  const [start = '', later] = service.log().split('"msg":"listening"')
  assert.notEqual(later, undefined)
  assert.doesNotMatch(start, /completed (compiling|optimizing)/)
  while (!/completed compiling/.test(service.log())) {
    assert.ok(Date.now() < deadline, 'V8 has optimized nothing.')
    await Promise.all(Array.from({ length: 50 }, () => service.call('GET', '/users').then((answer) => answer.text())))
    await sleep(1)
  }
  await service.end('SIGTERM')
})
