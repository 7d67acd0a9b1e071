import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { actionsOf, auditSearch, filterOf, isFiltered } from './audit.ts'

describe('the address of the audit', () => {
  it('keeps the filters that the API has, and leaves out what it would refuse', () => {
    assert.deepEqual(
      auditSearch({
        action: 'user.*',
        outcome: 'denied',
        actor_kind: 'api_key',
        actor: ' 01a2 ',
        target: 42,
        request_id: 'r-1',
        occurred_after: '2026-11-20T00:00:00.000Z',
        sort: 'seq',
      }),
      {
        action: 'user.*',
        outcome: 'denied',
        actor_kind: 'api_key',
        actor: '01a2',
        target: '42',
        request_id: 'r-1',
        occurred_after: '2026-11-20T00:00:00.000Z',
        sort: 'seq',
      },
    )
    const nonsense = {
      action: 'User updated',
      outcome: 'x',
      actor: '  ',
      occurred_before: 'soon',
      sort: '-seq',
      page: 2,
    }
    assert.deepEqual(auditSearch(nonsense), {})
  })

  it('takes one action or several', () => {
    assert.deepEqual(actionsOf(auditSearch({ action: ['user.created', 'user.deleted', 7] })), [
      'user.created',
      'user.deleted',
    ])
    assert.equal(auditSearch({ action: ['user.created'] }).action, 'user.created')
    const search = auditSearch({ action: 'user.created', outcome: 'success', sort: 'seq' })
    assert.deepEqual(filterOf(search, actionsOf(search)), { action: ['user.created'], outcome: 'success' })
  })

  it('is not filtered by its order', () => {
    assert.equal(isFiltered(auditSearch({ sort: 'seq' })), false)
    assert.equal(isFiltered(auditSearch({ outcome: 'failure' })), true)
  })
})
