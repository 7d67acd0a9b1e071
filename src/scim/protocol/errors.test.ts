import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AppError } from '../../core/errors.ts'
import { errorBody, fromAppError, ScimError } from './errors.ts'

describe('SCIM errors', () => {
  it('have the form of RFC 7644 §3.12, with the status as a text', () => {
    assert.deepEqual(errorBody(new ScimError('mutability', 'Only the server sets id.')), {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '400',
      scimType: 'mutability',
      detail: 'Only the server sets id.',
    })
    assert.deepEqual(errorBody(new ScimError(404, 'There is no such user.')), {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '404',
      detail: 'There is no such user.',
    })
  })

  it('say what the services refuse', () => {
    for (const [code, status, scimType] of [
      ['username_taken', 409, 'uniqueness'],
      ['email_taken', 409, 'uniqueness'],
      ['validation_failed', 400, 'invalidValue'],
      ['malformed_json', 400, 'invalidSyntax'],
      ['cursor_expired', 400, 'expiredCursor'],
      ['user_not_found', 404, undefined],
      ['last_admin', 409, undefined],
      ['last_password_admin', 409, undefined],
      ['precondition_failed', 412, undefined],
      ['credential_invalid', 401, undefined],
    ] as const) {
      const error = fromAppError(new AppError(code, 'Why.'))
      assert.deepEqual([error.status, error.scimType, error.message], [status, scimType, 'Why.'])
    }
  })
})
