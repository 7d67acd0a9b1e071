import assert from 'node:assert/strict'
import { it } from 'node:test'
import { filtered, type Operation } from './document.ts'

const operation = (line: string, summary: string, description = ''): Operation => {
  const [method = '', path = ''] = line.split(' ')
  return { operationId: line, method, path, summary, description, security: [], responses: {} }
}
const subjects = [
  {
    name: 'Users',
    description: undefined,
    operations: [
      operation('POST /users', 'Create User', 'To list users, call GET /users.'),
      operation('GET /users/{user_id}/keys', 'List User Keys'),
      operation('GET /users', 'List Users'),
    ],
  },
  {
    name: 'Keys',
    description: undefined,
    operations: [
      operation('GET /keys', 'List Keys', 'Lists keys, not users.'),
      operation('POST /keys/{key_id}/rotate', 'Rotate Key'),
    ],
  },
]

it('finds an operation by its summary first, then by its path, then by its description', () => {
  const found = (filter: string) =>
    filtered(subjects, filter).flatMap(({ operations }) => operations.map(({ summary }) => summary))
  assert.deepEqual(found('list users'), ['List Users'])
  assert.deepEqual(found('list keys'), ['List Keys', 'List User Keys'])
  assert.deepEqual(found('rotate keys'), ['Rotate Key'])
  assert.deepEqual(found('get /users'), ['List User Keys', 'List Users'])
  assert.deepEqual(found('lists not'), ['List Keys'])
  assert.deepEqual(found('nothing'), [])
  assert.equal(found(' ').length, 5)
})
