import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyEngine, start } from '../../../test/harness.ts'

const engine = anyEngine

describe('roles', () => {
  it('are the built-in ones, and then those of the configuration in its order', async (t) => {
    const roles = { support: ['users:read', 'users:write'], analyst: ['reports:read'], root: ['*'], guest: [] }
    const app = await start(t, engine, { env: { ROLLBOOK_ROLES: JSON.stringify(roles) } })
    const { status, body } = await app.call('GET', '/roles')
    assert.equal(status, 200)
    assert.deepEqual(body, [
      { role: 'admin', permissions: ['*'], built_in: true },
      { role: 'user', permissions: [], built_in: true },
      ...Object.entries(roles).map(([role, permissions]) => ({ role, permissions, built_in: false })),
    ])
  })
})
