import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type About, credentialCache } from './credential-cache.ts'

const found = (text: string, ...about: About[]) => Promise.resolve({ found: text, about })

async function filled() {
  const cache = credentialCache<string>(10)
  await cache.fill('a', () => found('session of ada', 'session 1', 'user ada'))
  await cache.fill('b', () => found('another session of ada', 'session 2', 'user ada'))
  await cache.fill('c', () => found('a key', 'key 3'))
  const left = () => ['a', 'b', 'c'].filter((key) => cache.get(key) !== undefined).join('')
  return { cache, left }
}

describe('the credential cache', () => {
  it('drops an entry when its credential ends, and not before', async () => {
    for (const [subject, expected] of [
      [{ kind: 'session', id: '1' }, 'bc'],
      [{ kind: 'user', id: 'ada', credentials_version: 1 }, 'c'],
      [{ kind: 'key', id: '3' }, 'ab'],
      [{ kind: 'key_changed', id: '3' }, 'ab'],
      [{ kind: 'session', id: '3' }, 'abc'],
      [{ kind: 'token', id: '1' }, 'abc'],
    ] as const) {
      const { cache, left } = await filled()
      cache.onAnnouncement({ kind: 'revoked', subject })
      assert.equal(left(), expected, `${subject.kind} ${subject.id}`)
    }
  })

  it('is emptied when an unknown credential has ended', async () => {
    const { cache, left } = await filled()
    cache.onAnnouncement({ kind: 'users_changed' })
    assert.equal(left(), 'abc')
    cache.onAnnouncement({ kind: 'forget' })
    assert.equal(left(), '')
  })

  it('does not store what was read before a credential ended but arrived afterwards', async () => {
    const { cache } = await filled()
    const late = cache.fill('d', async () => {
      cache.onAnnouncement({ kind: 'revoked', subject: { kind: 'session', id: '4' } })
      return found('a session that has just ended', 'session 4')
    })
    assert.equal(await late, 'a session that has just ended')
    assert.equal(cache.get('d'), undefined)
  })

  it('drops an entry when the store no longer knows it', async () => {
    const { cache, left } = await filled()
    assert.equal(await cache.fill('a', async () => undefined), undefined)
    assert.equal(left(), 'bc')
  })

  it('does not grow beyond its limit: the oldest goes', async () => {
    const cache = credentialCache<string>(2)
    for (const key of ['a', 'b', 'c']) await cache.fill(key, () => found(key, `key ${key}`))
    assert.deepEqual(
      ['a', 'b', 'c'].map((key) => cache.get(key)),
      [undefined, 'b', 'c'],
    )
  })
})
