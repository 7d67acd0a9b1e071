import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { behindNetwork, skip } from './nodes.ts'

describe('an Idempotency-Key that two nodes receive', { skip }, () => {
  it('is held by the first one until its response is stored, even if that is a refusal', async (t) => {
    const { direct, behind, network } = await behindNetwork(t)
    assert.equal((await direct.call('POST', '/users', { body: { username: 'taken' } })).status, 201)
    const request = { body: { username: 'taken' }, headers: { 'idempotency-key': 'one' } }
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    const { promise: released, resolve: release } = Promise.withResolvers<boolean>()
    network.toServer = ({ kind, text }) => {
      if (kind !== 'P' || !text.includes('INSERT INTO idempotency_keys')) return true
      reach()
      return released
    }
    const first = behind.call('POST', '/users', request)
    await reached
    const second = await direct.call('POST', '/users', request)
    release(true)
    assert.equal((await first).body.code, 'username_taken')
    assert.equal(second.body.code, 'idempotency_in_progress')
  })
})
