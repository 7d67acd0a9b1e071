import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { VerifyError } from './errors.ts'
import { credentialOf, type VerifiableRequest } from './request.ts'

const rules = { cookieName: 'rollbook', origins: ['https://orchard.example.com'] }
const read = (headers: Record<string, string>, method = 'GET') => credentialOf({ headers, method }, rules)
const codeOf = (work: () => unknown) => {
  try {
    return work()
  } catch (error) {
    assert.ok(error instanceof VerifyError, String(error))
    return error.code
  }
}
const [bearer, key, cookie] = [{ authorization: 'Bearer eyJ.b.c' }, { 'x-api-key': 'rb_1' }, { cookie: 'rollbook=s1' }]

describe('the credential of a request', () => {
  it('is an access token, an API key or a session, depending on its form and place', () => {
    const cases: [Record<string, string>, string, string][] = [
      [bearer, 'access_token', 'eyJ.b.c'],
      [{ authorization: 'bearer   eyJ.b.c ' }, 'access_token', 'eyJ.b.c'],
      [{ authorization: 'Bearer eyJ.b.' }, 'access_token', 'eyJ.b.'],
      [{ authorization: 'Bearer rb_1' }, 'api_key', 'rb_1'],
      [{ authorization: 'Bearer a-key.with.dots' }, 'api_key', 'a-key.with.dots'],
      [key, 'api_key', 'rb_1'],
      [{ 'x-api-key': 'eyJ.b.c' }, 'api_key', 'eyJ.b.c'],
      [{ ...key, authorization: 'Bearer rb_1' }, 'api_key', 'rb_1'],
      [cookie, 'session', 's1'],
      [{ cookie: 'a=1; rollbook=s1;b=2' }, 'session', 's1'],
    ]
    for (const [headers, kind, value] of cases) assert.deepEqual(read(headers), { kind, value })
  })

  it('is missing if there is none, and if the cookie was cleared', () => {
    for (const headers of [{}, { cookie: 'rollbook=' }, { cookie: 'rollbook-device=d1; xrollbook=s1' }]) {
      assert.equal(
        codeOf(() => read(headers)),
        'credential_missing',
      )
    }
  })

  it('is refused if two are sent, because neither may replace the other', () => {
    const pairs = [
      { ...bearer, ...key },
      { ...bearer, ...cookie },
      { ...key, ...cookie },
      { cookie: 'rollbook=s1; rollbook=s2' },
    ]
    for (const headers of pairs) {
      assert.equal(
        codeOf(() => read(headers)),
        'ambiguous_credentials',
      )
    }
  })

  it('is refused if a header is repeated, of which Node keeps only the first', () => {
    const rawHeaders = ['Authorization', 'Bearer eyJ.b.c', 'authorization', 'Bearer eyJ.e.f']
    assert.equal(
      codeOf(() => credentialOf({ headers: bearer, rawHeaders, method: 'GET' }, rules)),
      'ambiguous_credentials',
    )
    const headers = new Headers(bearer)
    headers.append('authorization', 'Bearer eyJ.e.f')
    assert.equal(
      codeOf(() => credentialOf(headers, rules)),
      'credential_invalid',
    )
  })

  it('is invalid with another scheme, and when it is too long', () => {
    for (const authorization of ['Basic YTpi', 'Bearer', 'Bearer a b', `Bearer ${'a'.repeat(9000)}`]) {
      assert.equal(
        codeOf(() => read({ authorization })),
        'credential_invalid',
      )
    }
  })

  it('is also read from a fetch Request and from Headers', () => {
    const request = new Request('https://orchard.example.com/reports', { headers: bearer })
    assert.equal(credentialOf(request, rules).value, 'eyJ.b.c')
    assert.equal(credentialOf(request.headers, rules).value, 'eyJ.b.c')
  })

  it('is not read from the value of another cookie', () => {
    assert.equal(
      codeOf(() => read({ cookie: 'x=1,rollbook=planted' })),
      'credential_missing',
    )
  })

  it('with https is not read from a cookie that a sibling domain can set', () => {
    const headers = { cookie: 'rollbook=planted' }
    assert.equal(
      codeOf(() => credentialOf({ headers, method: 'GET' }, { ...rules, cookieName: '__Host-rollbook' })),
      'credential_missing',
    )
  })
})

describe('a change by cookie', () => {
  const outcome = (headers: Record<string, string>, method: string) =>
    codeOf(() => read({ ...cookie, ...headers }, method))

  it('is refused unless it comes from a page of the product', () => {
    const foreign: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example.net' },
      { origin: 'null' },
      { origin: 'http://orchard.example.com' },
      { origin: 'https://orchard.example.com.evil.example.net' },
      { referer: 'https://orchard.example.com/' },
    ]
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'QUERY']) {
      for (const headers of foreign) assert.equal(outcome(headers, method), 'cross_origin')
    }
    for (const headers of [{ 'sec-fetch-site': 'same-origin' }, { origin: 'https://orchard.example.com' }]) {
      assert.deepEqual(outcome(headers, 'POST'), { kind: 'session', value: 's1' })
    }
  })

  it('includes the GET of a WebSocket, which other sites can open', () => {
    assert.equal(outcome({ upgrade: 'websocket', origin: 'https://evil.example.net' }, 'GET'), 'cross_origin')
    assert.deepEqual(outcome({ origin: 'https://evil.example.net' }, 'GET'), { kind: 'session', value: 's1' })
  })

  it('is assumed for a request without a method', () => {
    const request: VerifiableRequest = new Headers(cookie)
    assert.equal(
      codeOf(() => credentialOf(request, rules)),
      'cross_origin',
    )
  })
})
