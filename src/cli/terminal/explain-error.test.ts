import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { RollbookClient } from '../../sdk/client/index.ts'
import { explanationOf } from './explain-error.ts'

it('gives advice if no server listens', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  const url = `http://127.0.0.1:${port}/auth`
  const error = await new RollbookClient({ url, apiKey: 'rb_none', retries: 0 }).users
    .get('ada')
    .catch((cause: unknown) => cause)
  const [first, second] = explanationOf(error).split('\n')
  assert.match(first ?? '', new RegExp(`^${url} did not respond: .*ECONNREFUSED`))
  assert.match(second ?? '', /^Nothing listens at this address\. .*--url.*ROLLBOOK_PORT/)
})

it('gives advice about a full disk', (t) => {
  if (!existsSync('/dev/full')) return t.skip('this system has no /dev/full')
  try {
    writeFileSync('/dev/full', 'a backup')
    assert.fail('written to a full disk')
  } catch (error) {
    assert.equal(
      explanationOf(error),
      'The file cannot be written: the disk is full. Free some space, or choose another disk.',
    )
  }
})
