import assert from 'node:assert/strict'
import { it } from 'node:test'
import { stepsOf } from './setup-facts.ts'

it('lists the first steps with what is done, only those the viewer may do, and none once all are done', () => {
  const none = { hasMail: false, hasCompany: false, hasKey: false, hasFactor: false }
  const names = (facts: Parameters<typeof stepsOf>[0]) =>
    stepsOf(facts).map(({ step, isDone }) => (isDone ? `${step} done` : step))
  assert.deepEqual(names(none), ['mail', 'product', 'company', 'second_factor'])
  assert.deepEqual(names({ ...none, hasMail: true }), ['mail done', 'product', 'company', 'second_factor'])
  assert.deepEqual(names({ ...none, hasMail: undefined, hasCompany: undefined, hasKey: true }), [
    'product done',
    'second_factor',
  ])
  assert.deepEqual(names({ hasMail: true, hasCompany: true, hasKey: true, hasFactor: true }), [])
  assert.deepEqual(
    names({ ...none, hasMail: undefined, hasCompany: undefined, hasKey: undefined, hasFactor: true }),
    [],
  )
})
