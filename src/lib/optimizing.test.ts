import assert from 'node:assert/strict'
import { it } from 'node:test'
import { makeDirectory, startService } from '../../test/durability/process.ts'

/**
 * Writes to standard error which flags V8 gets, and whether a server listens then. What V8 optimizes when is its own decision, which also
 * depends on the load of the machine.
 */
const reportFlags = `
  import { writeSync } from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  import v8 from 'node:v8'
  const { setFlagsFromString } = v8
  v8.setFlagsFromString = (flag) => {
    setFlagsFromString(flag)
    const state = process.getActiveResourcesInfo().includes('TCPServerWrap') ? 'listening' : 'starting'
    writeSync(2, 'V8 gets ' + flag + ' while ' + state + '\\n')
  }
  syncBuiltinESMExports()`
// The name of a compiler in it would keep the compilers on.
const preload = `--import=data:text/javascript;base64,${Buffer.from(reportFlags).toString('base64')}`

/** Other flags, such as for collecting garbage, are set when their time has come. */
const compilerFlags = (errors: string) =>
  [...errors.matchAll(/^V8 gets (--(?:no-)?(?:opt|maglev) while \w+)$/gm)].map(([, flag]) => flag)

it('the compilers of V8 are off until the server listens, and on before the first request', async (t) => {
  const service = await startService(t, { directory: makeDirectory(t), env: { NODE_OPTIONS: preload } })
  assert.deepEqual(compilerFlags(service.errors()), [
    '--no-opt while starting',
    '--no-maglev while starting',
    '--opt while listening',
    '--maglev while listening',
  ])
  assert.equal((await service.end('SIGTERM')).code, 0)
})

it('the compilers stay as they are if Node gets flags about them', async (t) => {
  const service = await startService(t, {
    directory: makeDirectory(t),
    env: { NODE_OPTIONS: preload },
    through: ['sh', '-c', 'exec "$0" --no-maglev "$@"'],
  })
  assert.deepEqual(compilerFlags(service.errors()), [])
  assert.equal((await service.end('SIGTERM')).code, 0)
})
