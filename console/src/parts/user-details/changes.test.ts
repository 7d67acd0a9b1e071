import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Details, detailsOf, differences, merge, patchBetween, typedSince } from './changes.ts'

const before: Details = {
  username: 'ada',
  first_name: 'Ada',
  last_name: 'Byron',
  email: 'ada@example.com',
  external_id: '',
  locale: '',
  role: 'user',
  active: true,
}

describe('a change of a user', () => {
  it('contains only what differs', () => {
    assert.deepEqual(patchBetween(before, { ...before, last_name: 'Lovelace', active: false }), {
      last_name: 'Lovelace',
      active: false,
    })
    assert.deepEqual(patchBetween(before, before), {})
  })

  it('clears optional members with null, and names with an empty text', () => {
    const cleared = { ...before, email: '', last_name: '' }
    const german = { ...before, locale: 'de' }
    assert.deepEqual(patchBetween(german, cleared), { email: null, last_name: '', locale: null })
    assert.deepEqual(detailsOf({ ...before, email: null, external_id: null, locale: undefined }), {
      ...before,
      email: '',
    })
  })

  it('keeps what was typed during the save', () => {
    const sent = { ...before, last_name: 'Love' }
    const saved = { ...sent, role: 'admin' }
    assert.deepEqual(typedSince(sent, { ...sent, last_name: 'Lovelace' }, saved), { ...saved, last_name: 'Lovelace' })
    assert.deepEqual(typedSince(sent, sent, saved), saved)
  })
})

describe('two changes of one user', () => {
  const theirs = { ...before, role: 'admin', last_name: 'King' }
  const mine = { ...before, email: 'ada@example.org', last_name: 'Lovelace' }

  it('are attributed to the side that made them', () => {
    const found = differences(before, theirs, mine).map(({ name, isContested, proposal }) => [
      name,
      isContested,
      proposal,
    ])
    assert.deepEqual(found, [
      ['last_name', true, 'mine'],
      ['email', false, 'mine'],
      ['role', false, 'theirs'],
    ])
  })

  it('are no conflict if both values are equal', () => {
    const same = { ...before, last_name: 'Lovelace' }
    assert.deepEqual(differences(before, same, { ...same }), [])
  })

  it('are merged as chosen', () => {
    assert.deepEqual(merge(theirs, mine, { last_name: 'theirs', email: 'mine', role: 'theirs' }), {
      ...theirs,
      email: 'ada@example.org',
    })
    assert.deepEqual(merge(theirs, mine, {}), theirs)
  })
})
