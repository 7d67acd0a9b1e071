import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Field } from './fields.ts'
import { changesOf, valuesOf } from './values.ts'

const fields: readonly Field[] = [
  { type: 'text', name: 'role_claim', label: '', isNullable: true },
  { type: 'secret', name: 'client_secret', label: '' },
  { type: 'lines', name: 'trusted_domains', label: '' },
  { type: 'pairs', of: 'roles', name: 'roles', label: '' },
  { type: 'check', name: 'sign_out_there', label: '' },
  { type: 'area', name: 'certificates', label: '' },
]

it('sends only what was changed, in the form that the API takes', () => {
  const before = valuesOf(fields, { role_claim: 'groups', trusted_domains: ['example.com'], roles: { a: 'user' } })
  assert.deepEqual(changesOf(fields, before, before), {})
  const pem = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----`
  const after = {
    ...before,
    role_claim: ' ',
    client_secret: ' kept as it is ',
    trusted_domains: 'example.com\n\n example.org \nexample.com',
    roles: [
      ['a', 'user'],
      ['', ''],
      ['b', 'support'],
    ] as const,
    sign_out_there: true,
    certificates: `${pem('one')}\n${pem('two')}`,
  }
  assert.deepEqual(changesOf(fields, after, before), {
    role_claim: null,
    client_secret: ' kept as it is ',
    trusted_domains: ['example.com', 'example.org'],
    roles: { a: 'user', b: 'support' },
    sign_out_there: true,
    certificates: [pem('one'), pem('two')],
  })
  assert.deepEqual(changesOf(fields, { ...before, certificates: 'none' }, before), { certificates: ['none'] })
})
