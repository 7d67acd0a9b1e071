import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertWithin } from '../../../test/time-limit.ts'
import { AppError } from '../../core/errors.ts'
import { NotPrimary } from '../db/postgres/failures.ts'
import { failoverMs, patiently } from './patience.ts'

const isUp = () => 0

function failure(members: { message?: string; code?: string; severity?: string }): Error {
  return Object.assign(new Error(members.message ?? ''), members)
}

/** Work that fails with these errors in turn, and then succeeds. */
function failing(...errors: Error[]) {
  const tries = { count: 0 }
  const work = async () => {
    const error = errors[tries.count++]
    if (error) throw error
    return 'done'
  }
  return { tries, work }
}

describe('patience', () => {
  for (const [what, error] of [
    ['a connection that is refused', failure({ code: 'ECONNREFUSED' })],
    ['a connection that broke', failure({ message: 'Connection terminated unexpectedly' })],
    ['a server that says nothing', failure({ message: 'Query read timeout' })],
    ['a server that shuts down', failure({ code: '57P01', severity: 'FATAL' })],
    ['a server that starts', failure({ code: '57P03', severity: 'FATAL' })],
    ['a server without a free connection', failure({ code: '53300', severity: 'FATAL' })],
    ['a server that takes no writes any more', failure({ code: '25006' })],
    ['a standby', new NotPrimary('')],
    ['a serialization failure', failure({ code: '40001' })],
    ['a deadlock', failure({ code: '40P01' })],
    ['a unique value that another change has just taken', failure({ code: '23505' })],
  ] as const) {
    it(`outlasts ${what}`, async () => {
      const { work, tries } = failing(error, error)
      assert.equal(await patiently(work, isUp), 'done')
      assert.equal(tries.count, 3)
    })
  }

  for (const [what, error, code] of [
    ['all connections in use', failure({ message: 'timeout exceeded when trying to connect' }), 'overloaded'],
    ['a lock that others keep', failure({ code: '55P03' }), 'overloaded'],
    ['a statement that took too long', failure({ code: '57014' }), 'overloaded'],
    ['a full disk', failure({ code: '53100' }), 'storage_full'],
    ['data that cannot be read', failure({ code: 'XX001' }), 'storage_damaged'],
  ] as const) {
    it(`does not retry what retrying does not fix: ${what}`, async () => {
      const { work, tries } = failing(error)
      await assert.rejects(patiently(work, isUp), (refusal: AppError) => {
        assert.equal(refusal.code, code)
        assert.equal(refusal.status, 503)
        // Damage does not mend itself, so the caller is not asked to retry.
        if (code === 'storage_damaged') assert.equal(refusal.headers['retry-after'], undefined)
        else assert.ok(Number(refusal.headers['retry-after']) >= 1)
        assert.equal(refusal.cause, error)
        return true
      })
      assert.equal(tries.count, 1)
    })
  }

  it('hands on refusals and faults as they are, and tries nothing of them again', async () => {
    for (const error of [
      new AppError('outcome_unknown', 'Perhaps.', { cause: failure({ code: 'ECONNRESET' }) }),
      new AppError('username_taken', 'Taken.'),
      failure({ code: '42703', message: 'column "users" does not exist' }),
      new TypeError('a fault of ours'),
    ]) {
      const { work, tries } = failing(error)
      await assert.rejects(patiently(work, isUp), (thrown) => thrown === error)
      assert.equal(tries.count, 1)
    }
  })

  it('reports a unique value that is taken at every try as the fault it is', async () => {
    const error = failure({ code: '23505' })
    const { work, tries } = failing(...Array(100).fill(error))
    await assert.rejects(patiently(work, isUp), (thrown) => thrown === error)
    assert.equal(tries.count, 3)
  })

  it('outlasts that all connections are in use while the database does not respond on them', async () => {
    const { work, tries } = failing(failure({ message: 'timeout exceeded when trying to connect' }))
    assert.equal(await patiently(work, () => 1000), 'done')
    assert.equal(tries.count, 2)
  })

  it('ends at a time, whatever fails, and reports that retrying later is worthwhile', async () => {
    for (const [error, code] of [
      [failure({ code: 'ECONNREFUSED' }), 'storage_unavailable'],
      [failure({ code: '40001' }), 'overloaded'],
    ] as const) {
      const { work } = failing(...Array(100).fill(error))
      const begun = performance.now()
      await assert.rejects(
        patiently(work, () => failoverMs - 300),
        { code },
      )
      assertWithin(1000, begun)
    }
  })

  it('allows only one attempt if the database has been away for that long', async () => {
    const { work, tries } = failing(...Array(100).fill(failure({ code: 'ECONNREFUSED' })))
    await assert.rejects(
      patiently(work, () => failoverMs),
      { code: 'storage_unavailable' },
    )
    assert.equal(tries.count, 1)
  })
})
