import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { filtersOf, namesOfFilters, sortingOf, sortOf, sorts, usersSearch } from './users.ts'

describe('the address of the users screen', () => {
  it('keeps valid values, and leaves out others', () => {
    assert.deepEqual(
      usersSearch({
        q: 'ada',
        role: 'user',
        group: '01a20801-5b0e-7a1f-9c1e-3f6f0c2a7d11',
        active: 'false',
        locked: 'true',
        invited: 'true',
        sort: '-username',
        density: 'compact',
        page: 3,
        row: 12,
      }),
      {
        q: 'ada',
        role: 'user',
        group: '01a20801-5b0e-7a1f-9c1e-3f6f0c2a7d11',
        active: false,
        locked: true,
        invited: true,
        sort: '-username',
        density: 'compact',
        page: 3,
        row: 12,
      },
    )
    assert.deepEqual(
      usersSearch({ q: '', active: 'maybe', sort: 'shoe_size', page: 0, row: -1, created_after: 'soon', more: 1 }),
      {},
    )
  })

  it('reads a search for digits or a JSON literal as text', () => {
    assert.equal(usersSearch({ q: 1815 }).q, '1815')
    assert.equal(usersSearch({ q: true }).q, 'true')
  })

  it('separates the filters from the view settings', () => {
    assert.deepEqual(
      filtersOf({ q: 'ada', has_password: false, has_signed_in: false, sort: 'email', columns: 'email', row: 4 }),
      {
        q: 'ada',
        has_password: false,
        has_signed_in: false,
      },
    )
  })

  it('keeps filters by attributes, and nothing that only looks like one', () => {
    const search = usersSearch({ 'attributes.level': 4, 'attributes.Bad': 'x', 'attributes.empty': '', role: 'user' })
    assert.deepEqual(search, { role: 'user', 'attributes.level': '4' })
    assert.deepEqual(filtersOf(search), search)
    assert.deepEqual(namesOfFilters(search), ['role', 'attributes.level'])
  })

  it('converts an order between the API and the table', () => {
    for (const sort of [undefined, ...sorts]) assert.equal(sortOf(sortingOf(sort)), sort)
    assert.deepEqual(sortingOf('-created_at'), [{ id: 'created_at', desc: true }])
    assert.equal(sortOf([{ id: 'role', desc: false }]), undefined)
  })
})
