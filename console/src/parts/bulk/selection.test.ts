import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  allSelected,
  countSelected,
  isSelected,
  noneSelected,
  select,
  selectableByName,
  selectionOf,
} from './selection.ts'

describe('the selection of users', () => {
  it('lists the picked users', () => {
    const picked = select(select(noneSelected, ['a', 'b', 'c'], true), ['b'], false)
    assert.deepEqual(selectionOf(picked, { role: 'user' }), { user_ids: ['a', 'c'] })
    assert.equal(countSelected(picked, 1_000_000), 2)
    assert.deepEqual(
      ['a', 'b'].map((id) => isSelected(picked, id)),
      [true, false],
    )
  })

  it('has the filters and the exceptions if all matches are selected', () => {
    const most = select(allSelected, ['a'], false)
    assert.deepEqual(selectionOf(most, { role: 'user' }), { filter: { role: 'user' }, except: ['a'] })
    assert.equal(countSelected(most, 1_000_000), 999_999)
    assert.deepEqual(
      ['a', 'b'].map((id) => isSelected(most, id)),
      [false, true],
    )
    assert.deepEqual(selectionOf(select(most, ['a'], true), {}), { filter: {}, except: [] })
  })

  it('has no more IDs than a change takes', () => {
    const many = Array.from({ length: selectableByName + 5 }, (_, i) => `user ${i}`)
    assert.equal(countSelected(select(noneSelected, many, true), 5000), selectableByName)
    const most = select(allSelected, many, false)
    assert.equal(isSelected(most, `user ${selectableByName}`), true)
  })
})
