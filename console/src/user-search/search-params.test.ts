import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { filtersOf, sortingOf, sortOf, sorts, usersSearch } from './search-params.ts'

describe('the address of the users screen', () => {
  it('keeps what it knows, and leaves out what means nothing', () => {
    assert.deepEqual(
      usersSearch({ q: 'ada', role: 'user', active: 'false', sort: '-username', density: 'compact', page: 3, row: 12 }),
      { q: 'ada', role: 'user', active: false, sort: '-username', density: 'compact', page: 3, row: 12 },
    )
    assert.deepEqual(
      usersSearch({ q: '', active: 'maybe', sort: 'shoe_size', page: 0, row: -1, created_after: 'soon', more: 1 }),
      {},
    )
  })

  it('takes a search for digits or for a word of JSON as the text that it is', () => {
    assert.equal(usersSearch({ q: 1815 }).q, '1815')
    assert.equal(usersSearch({ q: true }).q, 'true')
  })

  it('tells the filters from how their users are shown', () => {
    assert.deepEqual(
      filtersOf({ q: 'ada', has_password: false, has_signed_in: false, sort: 'email', columns: 'email', row: 4 }),
      {
        q: 'ada',
        has_password: false,
        has_signed_in: false,
      },
    )
  })

  it('says an order as the API and as a table do', () => {
    for (const sort of [undefined, ...sorts]) assert.equal(sortOf(sortingOf(sort)), sort)
    assert.deepEqual(sortingOf('-created_at'), [{ id: 'created_at', desc: true }])
    assert.equal(sortOf([{ id: 'role', desc: false }]), undefined)
  })
})
