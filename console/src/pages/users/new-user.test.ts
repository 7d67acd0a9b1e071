import assert from 'node:assert/strict'
import { it } from 'node:test'
import { bodyOf, empty } from './new-user.ts'

const noChoices = { attributes: {}, invite: false, isService: false }

it('takes the email as the username if only that is entered, except for a service account', () => {
  const email = 'greta@example.com'
  assert.deepEqual(bodyOf({ ...empty, email }, noChoices), { username: email, email, role: 'user' })
  assert.equal(bodyOf({ ...empty, email, username: 'greta' }, noChoices).username, 'greta')
  assert.equal(bodyOf({ ...empty, email }, { ...noChoices, isService: true }).username, '')
})

it('leaves out what is empty, and invites only a person without a password', () => {
  const values = { ...empty, username: 'greta', password: 'analytical engine no. 2' }
  assert.deepEqual(bodyOf(values, { ...noChoices, invite: true }), { username: 'greta', role: 'user', invite: 'true' })
  assert.equal(bodyOf(values, noChoices).password, values.password)
  const ending = bodyOf({ ...empty, username: 'greta', expires_at: '2026-12-31' }, noChoices)
  assert.deepEqual(ending, { username: 'greta', role: 'user', expires_at: '2026-12-31T23:59:59.999Z' })
  const service = bodyOf(values, { ...noChoices, invite: true, isService: true })
  assert.deepEqual(service, { username: 'greta', kind: 'service', role: 'user' })
})
