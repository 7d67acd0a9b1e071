import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gridColumns, leastWidth, shownColumns } from './columns.ts'

describe('the columns of the list', () => {
  it('shows as many default columns as fit', () => {
    assert.deepEqual([...shownColumns(undefined, { widthRem: 80, hasOrganizations: false })].toSorted(), [
      'created_at',
      'email',
      'last_login_at',
      'role',
      'state',
      'username',
    ])
    assert.deepEqual([...shownColumns(undefined, { widthRem: 44, hasOrganizations: false })].toSorted(), [
      'email',
      'state',
      'username',
    ])
    assert.deepEqual([...shownColumns(undefined, { widthRem: 5, hasOrganizations: false })], ['username'])
  })

  it('shows the organization where there are several, and nowhere else', () => {
    const some = { widthRem: 50, hasOrganizations: true }
    assert.deepEqual([...shownColumns(undefined, some)], ['username', 'state', 'email', 'organization'])
    assert.deepEqual([...shownColumns('organization', some)], ['username', 'organization'])
    assert.deepEqual([...shownColumns('organization', { ...some, hasOrganizations: false })], ['username'])
  })

  it('shows the chosen ones in their order, and always the user', () => {
    assert.deepEqual(
      [...shownColumns('user_id,email,shoe_size', { widthRem: 10, hasOrganizations: false })],
      ['username', 'email', 'user_id'],
    )
  })

  it('shows chosen attributes behind those of every user', () => {
    const columnIds = [...shownColumns('attributes.department,email', { widthRem: 10, hasOrganizations: false })]
    assert.deepEqual(columnIds, ['username', 'email', 'attributes.department'])
    assert.equal(leastWidth(columnIds), '40rem')
  })

  it('has tracks for the checkbox and the menu', () => {
    assert.equal(gridColumns(['username', 'user_id']), '2.75rem minmax(13rem, 2.2fr) 21rem 2.75rem')
    assert.equal(leastWidth(['username', 'user_id']), '39.5rem')
  })
})
