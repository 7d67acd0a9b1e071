import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pathWithoutSecrets, withoutSecrets } from './without-secrets.ts'

const secret = 'correct horse'

describe('rejected requests', () => {
  it('keep no password, however a client writes it', () => {
    for (const body of [
      { password: secret },
      { PassWord: secret, userName: 'ada' },
      { 'urn:ietf:params:scim:schemas:core:2.0:User:password': secret },
      { Operations: [{ op: 'replace', path: 'password', value: secret }] },
      { Operations: [{ Op: 'Replace', Path: 'password', Value: secret }] },
      { operations: [{ OP: 'replace', PATH: 'urn:x:User:Password', VALUE: [{ value: secret }] }] },
      { Operations: [{ op: 'replace', value: { password: secret } }] },
      { Operations: [{ op: 'replace', path: `password[value eq "${secret}"]`, value: { a: secret } }] },
      { Operations: [{ method: 'GET', path: `/Users?filter=password eq "${secret}"` }] },
      [{ name: 'password', value: secret }],
      [{ field: 'password', content: secret }],
      [{ key: 'userPassword', val: { deep: [secret] } }],
      ['password', secret],
      { filter: `userName eq "a" and password eq "${secret}"` },
      { value: `{"password": "${secret}"}` },
      { credentials: [{ kind: 'x', data: secret }], passwd: secret, client_secret: secret, passphrase: secret },
      `password=${secret}`,
    ]) {
      assert.doesNotMatch(JSON.stringify(withoutSecrets(body)), /correct|horse/, JSON.stringify(body))
    }
    for (const query of [
      'password=',
      'filter=password%20eq%20',
      'filter=userName%20eq%20"a"%20and%20pass%77ord%20eq%20',
      'x&PASSWORD+eq+',
    ]) {
      for (const value of [encodeURIComponent(secret), `%22${encodeURIComponent(secret)}%22`]) {
        assert.doesNotMatch(pathWithoutSecrets(`/Users?${query}${value}`), /correct|horse/, query)
      }
    }
    assert.doesNotMatch(pathWithoutSecrets('/Users/password=correct%20horse'), /correct|horse/)
  })

  it('keep everything else', () => {
    const body = {
      schemas: ['urn:x'],
      Operations: [{ op: 'add', path: 'title', value: 'Eng' }],
      n: 1,
      is: null,
      list: ['a', 2],
    }
    assert.deepEqual(withoutSecrets(body), body)
    assert.deepEqual(withoutSecrets({ op: 'replace', path: 'password', value: 'x' }), {
      op: 'replace',
      path: 'password',
      value: '[removed]',
    })
    assert.equal(
      pathWithoutSecrets('/Users?filter=userName%20eq%20"a"&count=2'),
      '/Users?filter=userName%20eq%20"a"&count=2',
    )
    assert.equal(pathWithoutSecrets('/Groups/1'), '/Groups/1')
  })
})
