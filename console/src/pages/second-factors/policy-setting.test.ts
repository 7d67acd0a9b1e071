import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { loadConfig } from '../../../../src/core/config.ts'
import { choiceOf, type Policy, policyOf, settingOf } from './policy-setting.ts'

const roles = ['admin', 'user', 'support']

describe('the form of a policy of second factors', () => {
  it('keeps the meaning of each policy', () => {
    const cases: [Policy, Policy][] = [
      ['optional', 'optional'],
      ['required', 'required'],
      [{ admin: 'required' }, { admin: 'required' }],
      [
        { '*': 'required', user: 'optional' },
        { '*': 'required', user: 'optional' },
      ],
      [{ 'group:Staff': 'required', 'group:Guests': 'optional', support: 'optional' }, { 'group:Staff': 'required' }],
      [
        { '*': 'required', 'group:Staff': 'required' },
        { '*': 'required', 'group:Staff': 'required' },
      ],
    ]
    for (const [policy, expected] of cases) assert.deepEqual(policyOf(choiceOf(policy, roles), roles), expected)
  })

  it('ignores blank lines and spaces around names of groups', () => {
    assert.deepEqual(policyOf({ roles: [], others: false, groups: '\n Staff \n\nSales team\n' }, roles), {
      'group:Staff': 'required',
      'group:Sales team': 'required',
    })
  })

  it('writes a setting that the service reads', () => {
    assert.equal(settingOf('required', ''), 'ROLLBOOK_SECOND_FACTOR=required')
    const [line = '', from = ''] = settingOf({ "group:L'Aquila": 'required' }, '2099-01-15').split('\n')
    assert.equal(from, 'ROLLBOOK_SECOND_FACTOR_FROM=2099-01-15')
    const value = /^ROLLBOOK_SECOND_FACTOR='([^']*)'$/.exec(line)?.[1]
    const { secondFactor } = loadConfig({ ...(value !== undefined && { ROLLBOOK_SECOND_FACTOR: value }) })
    assert.deepEqual({ ...secondFactor }, { "group:L'Aquila": 'required' })
  })
})
