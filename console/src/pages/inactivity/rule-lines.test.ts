import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { linesOf, type Rule, ruleOf } from './rule-lines.ts'

describe('the form of the inactivity rule', () => {
  it('keeps the meaning of each rule, and finds two limits for the same users', () => {
    const limit = { days: 90, notice_days: 14 }
    const rules: (Rule | null)[] = [
      null,
      { '*': limit },
      {
        '*': limit,
        contractor: { days: 30, notice_days: 7 },
        'group:A team': limit,
        'kind:service': limit,
        managed: limit,
      },
    ]
    for (const rule of rules) assert.deepEqual(ruleOf(linesOf(rule)), rule)
    const lines = linesOf({ 'group:Staff': limit, 'group:Guests': limit })
    assert.equal(ruleOf(lines.map((line) => ({ ...line, group: `${line.id === 0 ? ' staff' : 'Staff'} ` }))), undefined)
  })
})
