import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sessionCookies } from './cookies.ts'

const read = (cookie: string) => sessionCookies({ publicUrl: undefined }).read({ headers: { cookie } })

describe('the session cookie', () => {
  it('is bound to its host and to TLS if the public URL is https', () => {
    const cookies = sessionCookies({ publicUrl: 'https://app.example.com/auth' })
    assert.equal(cookies.set('token', 60), '__Host-rollbook=token; Max-Age=60; Path=/; HttpOnly; SameSite=Lax; Secure')
    assert.equal(cookies.clear(), '__Host-rollbook=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure')
    assert.equal(cookies.device.name, '__Host-rollbook-device')
    assert.equal(cookies.read({ headers: { cookie: 'rollbook=planted-by-a-sibling-domain' } }), undefined)
  })

  it('is set without TLS otherwise', () => {
    const cookies = sessionCookies({ publicUrl: 'http://127.0.0.1:8080/auth' })
    assert.equal(cookies.set('token', 60), 'rollbook=token; Max-Age=60; Path=/; HttpOnly; SameSite=Lax')
  })

  it('is found among others, by its whole name', () => {
    assert.equal(read('a=1; rollbook=token; b=2'), 'token')
    assert.equal(read('rollbook=to=ken'), 'to=ken')
    for (const none of [
      '',
      'a=1',
      'xrollbook=token',
      'rollbook-device=token',
      'a=rollbook',
      'rollbook=',
      'ROLLBOOK=x',
    ]) {
      assert.equal(read(none), undefined, none)
    }
  })

  it('is refused if it was sent twice: one of them may be planted', () => {
    assert.throws(() => read('rollbook=mine; rollbook=planted'), { code: 'ambiguous_credentials' })
  })
})
