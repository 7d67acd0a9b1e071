import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rememberRevocations } from './revoked.ts'

const token = { sub: 'u1', client_id: 'rollbook', sid: 's1', jti: 't1', credentials_version: 3 }

describe('a token', () => {
  it('ends when the feed names its session, key, own id or signing key', () => {
    for (const [kind, id] of [
      ['session', 's1'],
      ['key', 'rollbook'],
      ['token', 't1'],
      ['signing_key', 'k1'],
    ] as const) {
      const revoked = rememberRevocations()
      assert.equal(revoked.endsToken(token, 'k1'), false)
      revoked.add({ kind, id })
      assert.equal(revoked.endsToken(token, 'k1'), true, kind)
    }
  })

  it('ends when the feed names its user with a later version, and one issued since then does not', () => {
    const revoked = rememberRevocations()
    revoked.add({ kind: 'user', id: 'u1', credentials_version: 4 })
    revoked.add({ kind: 'user', id: 'u1', credentials_version: 2 })
    assert.equal(revoked.endsToken(token, 'k1'), true)
    assert.equal(revoked.endsToken({ ...token, credentials_version: 4 }, 'k1'), false)
    assert.equal(revoked.endsToken({ ...token, credentials_version: undefined }, 'k1'), true)
    assert.equal(revoked.endsToken({ ...token, credentials_version: '9' }, 'k1'), true)
  })

  it('lives on when the feed names others', () => {
    const revoked = rememberRevocations()
    for (const kind of ['session', 'key', 'token', 'signing_key', 'user', 'key_changed']) {
      revoked.add({ kind, id: 'other', credentials_version: 9 })
    }
    for (const id of ['u1', 't1', 'k1']) revoked.add({ kind: 'session', id })
    assert.equal(revoked.endsToken(token, 'k1'), false)
  })
})

describe('an answer from earlier', () => {
  it('is doubted when something it is about was revoked since, and only then', () => {
    const revoked = rememberRevocations()
    revoked.add({ kind: 'session', id: 's1' })
    const since = revoked.count()
    assert.equal(revoked.changedSince(since, token), false)
    revoked.add({ kind: 'session', id: 's2' })
    assert.equal(revoked.changedSince(since, token), false)
    revoked.add({ kind: 'user', id: 'u1', credentials_version: 1 })
    assert.equal(revoked.changedSince(since, token), true)
    assert.equal(revoked.changedSince(revoked.count(), token), false)
  })

  it('about a key is doubted when the key has changed', () => {
    const revoked = rememberRevocations()
    revoked.add({ kind: 'key_changed', id: 'k1' })
    assert.equal(revoked.changedSince(0, { sub: 'k1', client_id: 'k1' }), true)
  })

  it('is doubted, whatever it is about, once the feed began anew', () => {
    const revoked = rememberRevocations()
    revoked.distrust()
    assert.equal(revoked.changedSince(0, token), true)
    assert.equal(revoked.changedSince(revoked.count(), token), false)
  })
})
