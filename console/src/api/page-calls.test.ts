import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ApiCall } from './call.ts'
import { joinCalls } from './page-calls.ts'

describe('the requests of a page', () => {
  const path = { user_id: '1' }
  const read: ApiCall = { operation: 'GET /users/{user_id}', path }
  const patch = (body: object, beside: object = {}): ApiCall => ({
    operation: 'PATCH /users/{user_id}',
    path,
    body,
    ...beside,
  })

  it('are one for several parts that change one thing', () => {
    assert.deepEqual(
      joinCalls([read, patch({ role: 'user' }, { query: { override: true } }), patch({ expires_at: null })]),
      [read, patch({ role: 'user', expires_at: null }, { query: { override: true } })],
    )
  })

  it('stay apart where they read twice, or change two things', () => {
    const other = { ...patch({ role: 'user' }), path: { user_id: '2' } }
    assert.deepEqual(joinCalls([read, read, patch({}), other]), [read, read, patch({}), other])
  })
})
