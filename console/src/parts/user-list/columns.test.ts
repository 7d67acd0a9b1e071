import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gridColumns, leastWidth, shownColumns } from './columns.ts'

describe('the columns of the list', () => {
  it('shows as many default columns as fit', () => {
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

  it('shows the chosen ones in their order, and always the user', () => {
    assert.deepEqual([...shownColumns('user_id,email,shoe_size', 10)], ['username', 'email', 'user_id'])
  })

  it('shows chosen attributes behind those of every user', () => {
    const columnIds = [...shownColumns('attributes.department,email', 10)]
    assert.deepEqual(columnIds, ['username', 'email', 'attributes.department'])
    assert.equal(leastWidth(columnIds), '40rem')
  })

  it('has tracks for the checkbox and the menu', () => {
    assert.equal(gridColumns(['username', 'user_id']), '2.75rem minmax(13rem, 2.2fr) 21rem 2.75rem')
    assert.equal(leastWidth(['username', 'user_id']), '39.5rem')
  })
})
