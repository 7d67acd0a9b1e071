import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { fullBlocks } from './full-blocks.ts'

test('blocks hold all bytes in their order, and leave before the source has ended', async () => {
  const blocks = fullBlocks(4)
  let end = () => {}
  const source = new Promise<void>((resolve) => {
    end = resolve
  })
  const leaving = blocks.until(source)
  const first = leaving.next()
  await turn()
  blocks.add(Buffer.from('__abc'), 2, 5)
  blocks.add(Buffer.from('defghij'), 0, 7)
  assert.equal(String((await first).value), 'abcd')
  assert.equal(String((await leaving.next()).value), 'efgh')
  end()
  assert.equal((await leaving.next()).done, true)
  assert.equal(String(blocks.rest()), 'ij')
})

test('bytes continue in the same block with the next source', async () => {
  const blocks = fullBlocks(4)
  blocks.add(Buffer.from('ab'), 0, 2)
  assert.deepEqual(await Array.fromAsync(blocks.until(Promise.resolve())), [])
  blocks.add(Buffer.from('cd'), 0, 2)
  assert.deepEqual((await Array.fromAsync(blocks.until(Promise.resolve()))).map(String), ['abcd'])
  assert.equal(blocks.rest().length, 0)
})

test('an error of the source comes behind the blocks that were full before it', async () => {
  const blocks = fullBlocks(2)
  blocks.add(Buffer.from('abc'), 0, 3)
  const leaving = blocks.until(Promise.reject(new Error('cut off')))
  assert.equal(String((await leaving.next()).value), 'ab')
  await assert.rejects(leaving.next(), /cut off/)
})
