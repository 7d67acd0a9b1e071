import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseTrustedIssuers } from '../../../core/trusted-issuers.ts'

const good = {
  issuer: 'https://id.example.com',
  audience: 'rollbook',
  jwks_url: 'https://id.example.com/jwks',
  algorithms: ['RS256'],
  roles: { staff: 'clerk' },
}
const faultsOf = (input: unknown) => {
  const read = parseTrustedIssuers(typeof input === 'string' ? input : JSON.stringify(input))
  return 'faults' in read ? read.faults : []
}

describe('ROLLBOOK_TRUSTED_ISSUERS', () => {
  it('reads issuers, and fills in the usual values', () => {
    assert.deepEqual(parseTrustedIssuers('[]'), { value: [] })
    const read = parseTrustedIssuers(JSON.stringify([good]))
    assert.ok('value' in read)
    const [issuer] = read.value
    const expected = { roles_claim: 'roles', roles: { staff: 'clerk' }, token_types: undefined }
    assert.deepEqual({ ...issuer, roles: { ...issuer?.roles } }, { ...good, ...expected })
  })

  it('accepts a token type in any spelling', () => {
    const read = parseTrustedIssuers(JSON.stringify([{ ...good, token_types: ['application/AT+JWT'] }]))
    assert.deepEqual('value' in read && read.value[0]?.token_types, ['at+jwt'])
  })

  it('finds no role for a claim that is named like a member of every object', () => {
    const read = parseTrustedIssuers(JSON.stringify([good]))
    assert.equal('value' in read && read.value[0]?.roles.constructor, undefined)
  })

  const cases: [what: string, given: unknown, fault: RegExp][] = [
    ['no JSON', '{', /^must be a JSON array/],
    ['an object', {}, /^must be a JSON array/],
    ['a text in the list', ['x'], /at position 1 is not an object/],
    ['nothing', [good, {}], /at position 2 lacks issuer, audience, jwks_url, algorithms, roles$/],
    ['a member too many', [{ ...good, jku: 'x' }], /has members other than/],
    ['an empty issuer', [{ ...good, issuer: '' }], /has an invalid issuer/],
    ['no audience', [{ ...good, audience: null }], /has an invalid audience/],
    ['HMAC', [{ ...good, algorithms: ['RS256', 'HS256'] }], /has an invalid algorithms/],
    ['none', [{ ...good, algorithms: ['none'] }], /has an invalid algorithms/],
    ['no algorithm', [{ ...good, algorithms: [] }], /has an invalid algorithms/],
    ['an algorithm as a text', [{ ...good, algorithms: 'RS256' }], /has an invalid algorithms/],
    ['plain http', [{ ...good, jwks_url: 'http://id.example.com/jwks' }], /has an invalid jwks_url/],
    ['http to what looks like loopback', [{ ...good, jwks_url: 'http://127.0.0.1.example.com/' }], /jwks_url/],
    ['http to what looks like localhost', [{ ...good, jwks_url: 'http://localhost@example.com/' }], /jwks_url/],
    ['a password in the address', [{ ...good, jwks_url: 'https://a:b@id.example.com/' }], /jwks_url/],
    ['a file', [{ ...good, jwks_url: 'file:///etc/passwd' }], /jwks_url/],
    ['a backslash', [{ ...good, jwks_url: 'https:\\\\id.example.com/' }], /jwks_url/],
    ['roles as a list', [{ ...good, roles: ['clerk'] }], /has an invalid roles/],
    ['what can be no role', [{ ...good, roles: { staff: 'The Boss' } }], /has an invalid roles/],
    ['a path with a gap', [{ ...good, roles_claim: 'a..b' }], /has an invalid roles_claim/],
    ['types as a text', [{ ...good, token_types: 'JWT' }], /has an invalid token_types/],
    ['no type', [{ ...good, token_types: [] }], /has an invalid token_types/],
    ['an issuer twice', [good, good], /names the same issuer twice/],
  ]
  for (const [what, input, fault] of cases) {
    it(`refuses ${what}`, () => {
      const faults = faultsOf(input)
      assert.equal(faults.length, 1, faults.join('; '))
      assert.match(faults[0] as string, fault)
    })
  }

  it('allows plain http on this machine', () => {
    for (const host of ['127.0.0.1:4000', '127.8.9.1', 'localhost:3000', '[::1]:80']) {
      assert.deepEqual(faultsOf([{ ...good, jwks_url: `http://${host}/jwks` }]), [], host)
    }
  })

  it('reports every fault at once, and never repeats the value', () => {
    const faults = faultsOf([
      { ...good, issuer: 7, audience: 'S3CRET'.repeat(100) },
      { ...good, algorithms: ['S3CRET'] },
    ])
    assert.equal(faults.length, 3)
    assert.ok(!faults.join().includes('S3CRET'))
  })

  it('reads or refuses any JSON', () => {
    const member = fc.oneof(fc.jsonValue(), fc.constantFrom(...Object.values(good)))
    const one = fc.dictionary(fc.constantFrom(...Object.keys(good), 'token_types', 'roles_claim', 'x'), member)
    fc.assert(
      fc.property(fc.oneof(fc.array(fc.oneof(one, fc.jsonValue())), fc.jsonValue()), (input) => {
        const read = parseTrustedIssuers(JSON.stringify(input))
        assert.ok('faults' in read ? read.faults.length > 0 : Array.isArray(read.value))
      }),
      { numRuns: 500 },
    )
  })
})
