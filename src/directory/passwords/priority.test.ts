import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority, platform } from 'node:os'
import { it } from 'node:test'
import { createHasher } from './hash.ts'
import { hashPriority } from './priority.ts'

const skip = platform() === 'linux' ? false : 'only Linux has a priority for each thread'

it('hashes in threads that let the thread of the requests run first', { skip }, async () => {
  const usual = getPriority(process.pid)
  await createHasher({ concurrency: 2, queueLimit: 10 }).hash('nine zebras juggle oak hats')
  const named = (name: string) =>
    readdirSync('/proc/self/task').filter(
      (thread) => readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim() === name,
    )
  const pool = named('libuv-worker').map((thread) => getPriority(Number(thread)))
  assert.ok(pool.length > 0)
  assert.deepEqual(new Set(pool), new Set([Math.max(usual, hashPriority)]))
  assert.equal(getPriority(process.pid), usual)
})
