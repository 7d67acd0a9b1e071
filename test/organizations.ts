/** Organizations for the tests. */
import assert from 'node:assert/strict'
import type { Started } from './harness.ts'

let names = 0

/** Returns the id. */
export async function createOrganization(app: Started, body: Record<string, unknown> = {}): Promise<string> {
  const created = await app.call('POST', '/organizations', { body: { name: `Organization ${++names}`, ...body } })
  assert.equal(created.status, 201, created.text)
  return created.body.organization_id
}

export async function changeOrganization(app: Started, id: string, body: Record<string, unknown>): Promise<void> {
  const changed = await app.call('PATCH', `/organizations/${id}`, { body })
  assert.equal(changed.status, 200, changed.text)
}

/** Moves a user there; null: to none. */
export async function moveTo(app: Started, userId: string, organization_id: string | null): Promise<void> {
  const moved = await app.call('PATCH', `/users/${userId}`, { body: { organization_id } })
  assert.equal(moved.status, 200, moved.text)
}
