import assert from 'node:assert/strict'
import { it } from 'node:test'
import { builtInPermissions } from '../../../core/permissions.ts'
import { kinds } from './kinds.ts'

it('every subject that is configured at run time is described, or says why not', () => {
  const without: Readonly<Record<string, string>> = {
    users: 'a file has no users',
    sessions: 'they belong to users',
    signing_keys: 'they are made by the service',
    mails: 'they are messages',
    reviews: 'they are decisions about users',
    scim: 'it changes users and groups',
    configuration: 'it is the file',
  }
  const subjects = builtInPermissions.filter((one) => one.endsWith(':write')).map((one) => one.split(':')[0] ?? '')
  const described = new Set(kinds.map(({ needs }) => needs.split(':')[0]))
  assert.deepEqual(
    subjects.filter((one) => !described.has(one) && !(one in without)),
    [],
  )
})
