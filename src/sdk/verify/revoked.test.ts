import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Revoked, rememberRevocations } from './revoked.ts'

const token = { sub: 'u1', client_id: 'rollbook', sid: 's1', jti: 't1', credentials_version: 3, org_id: 'o1' }

describe('a token', () => {
  it('is revoked when the feed names its session, key, id or signing key', () => {
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

  it('is revoked when the feed names its user with a later version, but a token issued since then is not', () => {
    const revoked = rememberRevocations()
    revoked.add({ kind: 'user', id: 'u1', credentials_version: 4 })
    revoked.add({ kind: 'user', id: 'u1', credentials_version: 2 })
    assert.equal(revoked.endsToken(token, 'k1'), true)
    assert.equal(revoked.endsToken({ ...token, credentials_version: 4 }, 'k1'), false)
    assert.equal(revoked.endsToken({ ...token, credentials_version: undefined }, 'k1'), true)
    assert.equal(revoked.endsToken({ ...token, credentials_version: '9' }, 'k1'), true)
  })

  it('is revoked when the feed names its organization, unless it was issued since then', () => {
    const revoked = rememberRevocations()
    const revoked_at = '2026-11-30T12:00:00.500Z'
    revoked.add({ kind: 'organization', id: 'o1', revoked_at })
    const seconds = Math.floor(Date.parse(revoked_at) / 1000)
    const ends = (claims: object) => revoked.endsToken({ ...token, org_id: 'o1', iat: seconds, ...claims }, 'k1')
    assert.deepEqual([ends({}), ends({ iat: seconds - 60 }), ends({ iat: undefined })], [true, true, true])
    assert.deepEqual(
      [ends({ iat: seconds + 1 }), ends({ org_id: 'o2' }), ends({ org_id: undefined })],
      [false, false, false],
    )
    revoked.add({ kind: 'organization_changed', id: 'o2', revoked_at })
    assert.equal(ends({ org_id: 'o2' }), false)
  })

  it('stays valid when the feed names others', () => {
    const revoked = rememberRevocations()
    for (const kind of ['session', 'key', 'token', 'signing_key', 'user', 'key_changed']) {
      revoked.add({ kind, id: 'other', credentials_version: 9 })
    }
    for (const id of ['u1', 't1', 'k1']) revoked.add({ kind: 'session', id })
    assert.equal(revoked.endsToken(token, 'k1'), false)
  })
})

describe('an earlier answer', () => {
  function atTime(): { revoked: Revoked; pass(ms: number): number } {
    let now = 5000
    const revoked = rememberRevocations(() => now)
    return {
      revoked,
      pass(ms) {
        now += ms
        return now
      },
    }
  }

  for (const [kind, id] of [
    ['session', 's1'],
    ['user', 'u1'],
    ['key', 'rollbook'],
    ['key_changed', 'rollbook'],
    ['organization', 'o1'],
    ['organization_changed', 'o1'],
  ] as const) {
    it(`is doubtful if the feed names its ${kind} after, or less than a second before, the request`, () => {
      const { revoked, pass } = atTime()
      const before = pass(0)
      pass(10)
      revoked.add({ kind, id, credentials_version: 1 })
      assert.equal(revoked.mayOverlook(before, token), true)
      const soon = pass(990)
      const late = pass(11)
      pass(300)
      assert.equal(revoked.mayOverlook(soon, token), true, 'by a node that did not know of it yet')
      assert.equal(revoked.mayOverlook(late, token), false)
    })
  }

  it('that was requested after the revocation is used for 250 ms, whichever node gave it', () => {
    const { revoked, pass } = atTime()
    revoked.add({ kind: 'session', id: 's1' })
    const requested = pass(1)
    pass(250)
    assert.equal(revoked.mayOverlook(requested, token), false)
    pass(1)
    assert.equal(revoked.mayOverlook(requested, token), true)
  })

  it('is trusted when the feed names others', () => {
    const { revoked, pass } = atTime()
    const requested = pass(10)
    for (const kind of ['session', 'user', 'key', 'key_changed', 'token']) revoked.add({ kind, id: 'other' })
    pass(500)
    assert.equal(revoked.mayOverlook(requested, token), false)
  })

  it('is doubtful, whatever its subject, once the feed has restarted', () => {
    const { revoked, pass } = atTime()
    const before = pass(10)
    pass(10)
    revoked.distrust()
    const soon = pass(10)
    assert.equal(revoked.mayOverlook(before, {}), true)
    pass(300)
    assert.equal(revoked.mayOverlook(soon, {}), true)
    const late = pass(700)
    pass(300)
    assert.equal(revoked.mayOverlook(late, {}), false)
  })
})
