import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gridColumns, leastWidth, shownColumns } from './columns.ts'

describe('the columns of the list', () => {
  it('shows as many of the usual ones as there is room for', () => {
    assert.deepEqual([...shownColumns(undefined, 80)].toSorted(), [
      'created_at',
      'email',
      'last_login_at',
      'role',
      'state',
      'username',
    ])
    assert.deepEqual([...shownColumns(undefined, 44)].toSorted(), ['email', 'state', 'username'])
    assert.deepEqual([...shownColumns(undefined, 5)], ['username'])
  })

  it('shows those that were chosen, in their order, and always who it is', () => {
    assert.deepEqual([...shownColumns('user_id,email,shoe_size', 10)], ['username', 'email', 'user_id'])
  })

  it('has room for the box to tick and the menu on either side', () => {
    assert.equal(gridColumns(['username', 'user_id']), '2.75rem minmax(13rem, 2.2fr) 21rem 2.75rem')
    assert.equal(leastWidth(['username', 'user_id']), '39.5rem')
  })
})
