import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AuditRecord } from 'rollbook/client'
import { runsOf } from './runs.ts'

let seq = 100
const record = (action: string, members: object = {}) =>
  // With the members that grouping reads; a record has more.
  ({
    seq: --seq,
    action,
    outcome: 'success',
    code: null,
    actor: { kind: 'user', id: 'ada' },
    target: { kind: 'user', id: 'grace' },
    details: null,
    ...members,
  }) as unknown as AuditRecord
const refused = (reason: string, members: object = {}) =>
  record('session.created', {
    outcome: 'failure',
    code: 'sign_in_failed',
    actor: { kind: 'anonymous', id: '' },
    details: { reason },
    ...members,
  })
const lengths = (records: AuditRecord[]) => runsOf(records).map((run) => run.records.length)

describe('runs of the same event', () => {
  it('have the same action, outcome, reason and actor, next to each other', () => {
    const wrong = () => refused('wrong_password')
    assert.deepEqual(lengths([wrong(), wrong(), refused('throttled'), wrong(), wrong(), wrong()]), [2, 1, 3])
    assert.deepEqual(lengths([]), [])
  })

  it('keep refusals of different users apart, and join what was done to many', () => {
    const other = { target: { kind: 'user', id: 'alan' } }
    assert.deepEqual(lengths([refused('wrong_password'), refused('wrong_password', other)]), [1, 1])
    assert.deepEqual(lengths([record('user.created'), record('user.created', other)]), [2])
    assert.deepEqual(lengths([record('user.created'), record('user.created', { actor: { kind: 'system' } })]), [1, 1])
  })

  it('never hide the values of a change', () => {
    assert.deepEqual(lengths([record('user.updated'), record('user.updated')]), [1, 1])
  })
})
