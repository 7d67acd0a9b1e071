import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { faultsOf } from '../../scripts/check-scopes.ts'

const listUsers = (parameters: string) => `export function list(${parameters}): Promise<Row[]> {
  return db.all(sql\`SELECT * FROM users\`)
}
`

describe('the check of scopes', () => {
  it('refuses a query without a scope, and an exception that nothing needs', () => {
    const faults = (source: string, names: readonly string[] | '*' = []) =>
      faultsOf(new Map([['a.ts', source]]), [{ why: 'test', queries: { 'a.ts': names } }])
    assert.deepEqual(faults(listUsers('db: Db')), ['a.ts: list reads without a scope.'])
    assert.deepEqual(faults(listUsers('db: Db, scope: Scope')), [])
    assert.deepEqual(faults(listUsers('db: Db'), ['list']), [])
    assert.deepEqual(faults(listUsers('db: Db'), '*'), [])
    assert.deepEqual(faults('const all = sql`SELECT 1 FROM mails`\n'), ['a.ts: the module reads without a scope.'])
    assert.deepEqual(faults(listUsers('db: Db, scope: Scope'), ['list']), ['a.ts: list is listed without need.'])
    assert.deepEqual(faults(listUsers('db: Db').replace('SELECT *', 'DELETE')), [])
    assert.deepEqual(faultsOf(new Map(), [{ why: 'test', queries: { 'b.ts': '*' } }]), ['b.ts is listed, but is gone.'])
  })
})
