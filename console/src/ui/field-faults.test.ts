import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ConnectionError, type InputFault, type Problem, RollbookError } from '../../../src/sdk/client/index.ts'
import { fieldFaults } from './field-faults.ts'

const problem = (errors: InputFault[]): Problem => ({
  type: '/auth/docs/problems#validation_failed',
  title: 'The input is not acceptable',
  status: 422,
  detail: 'The input is not acceptable.',
  instance: 'a request',
  code: 'validation_failed',
  errors,
})
const refusal = (errors: InputFault[]) => new RollbookError(problem(errors))

describe('the faults of a form', () => {
  it('are shown at their fields, the first of each', () => {
    const error = refusal([
      { pointer: '#/username', code: 'username_invalid', detail: 'Spaces are not allowed.' },
      { pointer: '#/username', code: 'too_long', detail: 'It is too long.' },
    ])
    const expected = { faults: { username: 'Spaces are not allowed.' }, hasMore: false }
    assert.deepEqual(fieldFaults(error, ['username', 'email']), expected)
  })

  it('are also shown beside the form if one has no field', () => {
    const error = refusal([
      { pointer: '#/username', code: 'username_invalid', detail: 'Spaces are not allowed.' },
      { pointer: '#/password', code: 'password_too_short', detail: 'It is too short.' },
    ])
    assert.deepEqual(fieldFaults(error, ['username']), {
      faults: { username: 'Spaces are not allowed.' },
      hasMore: true,
    })
  })

  it('are shown at the current password if it was wrong', () => {
    const error = new RollbookError({ ...problem([]), status: 403, code: 'current_password_wrong', detail: 'Wrong.' })
    const fields = ['current_password', 'new_password']
    assert.deepEqual(fieldFaults(error, fields), { faults: { current_password: 'Wrong.' }, hasMore: false })
    assert.deepEqual(fieldFaults(error, ['username']), { faults: {}, hasMore: true })
  })

  it('are empty if the error is not about fields', () => {
    assert.deepEqual(fieldFaults(refusal([]), ['username']), { faults: {}, hasMore: true })
    assert.deepEqual(fieldFaults(new ConnectionError('No answer.'), ['username']), { faults: {}, hasMore: true })
    assert.deepEqual(fieldFaults(null, ['username']), { faults: {}, hasMore: false })
  })
})
