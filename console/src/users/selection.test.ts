import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countSelected, everybody, isSelected, nobody, select, selectableByName, selectionOf } from './selection.ts'

describe('the selection of users', () => {
  it('names those who were picked', () => {
    const picked = select(select(nobody, ['a', 'b', 'c'], true), ['b'], false)
    assert.deepEqual(selectionOf(picked, { role: 'user' }), { user_ids: ['a', 'c'] })
    assert.equal(countSelected(picked, 1_000_000), 2)
    assert.deepEqual(
      ['a', 'b'].map((id) => isSelected(picked, id)),
      [true, false],
    )
  })

  it('names the filters and those left out when everybody who matches is meant', () => {
    const most = select(everybody, ['a'], false)
    assert.deepEqual(selectionOf(most, { role: 'user' }), { filter: { role: 'user' }, except: ['a'] })
    assert.equal(countSelected(most, 1_000_000), 999_999)
    assert.deepEqual(
      ['a', 'b'].map((id) => isSelected(most, id)),
      [false, true],
    )
    assert.deepEqual(selectionOf(select(most, ['a'], true), {}), { filter: {}, except: [] })
  })

  it('takes no more names than a change does', () => {
    const many = Array.from({ length: selectableByName + 5 }, (_, i) => `user ${i}`)
    assert.equal(countSelected(select(nobody, many, true), 5000), selectableByName)
    const most = select(everybody, many, false)
    assert.equal(isSelected(most, `user ${selectableByName}`), true)
  })
})
