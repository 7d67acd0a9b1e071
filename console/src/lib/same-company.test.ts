import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sameCompany } from './same-company.ts'

it('connections belong to one company by their name, or by the domains of the managed users', () => {
  const signIn = { name: 'Globex', domains: [], trusted_domains: ['globex.example'], provisioning_domains: [] }
  assert.equal(sameCompany(signIn, { name: ' globex' }, []), true)
  assert.equal(sameCompany(signIn, { name: 'Globex Entra' }, ['globex.example']), true)
  assert.equal(sameCompany(signIn, { name: 'Globex Entra' }, ['acme.example']), false)
  assert.equal(sameCompany(signIn, { name: 'Globex Entra' }, []), false)
})
