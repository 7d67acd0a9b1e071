import assert from 'node:assert/strict'
import { it } from 'node:test'
import { start } from '../../../test/harness.ts'
import { compileAllInputs } from '../request/validate.ts'
import { compileAllOutputs } from '../response/serialize.ts'

it('every schema of a route can be compiled, which otherwise happens with the first request', async (t) => {
  await start(t, { name: 'SQLite' })
  assert.ok(compileAllInputs() > 20, 'inputs')
  assert.ok(compileAllOutputs() > 20, 'outputs')
})
