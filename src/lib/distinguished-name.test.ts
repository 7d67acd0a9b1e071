import assert from 'node:assert/strict'
import { it } from 'node:test'
import { distinguishedNameKey } from './distinguished-name.ts'

const same: readonly (readonly string[])[] = [
  [
    'CN=Admins,OU=Groups,DC=example,DC=com',
    'cn=admins, ou=groups, dc=example, dc=com',
    'cn = Admins ; ou = groups;dc=EXAMPLE;dc=com',
    '2.5.4.3=Admins,OID.2.5.4.11=Groups,domainComponent=example,0.9.2342.19200300.100.1.25=com',
    String.raw`CN=\41dmins,OU=Groups,DC=example,DC=com`,
    'CN="Admins",OU=Groups,DC=example,DC=com',
  ],
  [String.raw`cn=Sales\, EMEA,dc=example`, String.raw`cn=Sales\2c EMEA,dc=example`, 'cn="Sales, EMEA",dc=example'],
  ['cn=a+uid=b,dc=example', 'UID=B + CN=A,dc=example'],
  [String.raw`cn=Lu\C4\8Di\C4\87,dc=example`, 'cn=Lučić,dc=example', 'cn=LUČIĆ,dc=example'],
  ['cn=two  words,dc=example', 'cn=Two words,dc=example'],
]

it('distinguished names are the same if their parts are, however they are written', () => {
  for (const [first = '', ...others] of same) {
    const key = distinguishedNameKey(first)
    assert.notEqual(key, undefined, first)
    for (const other of others) assert.equal(distinguishedNameKey(other), key, other)
  }
  assert.equal(new Set(same.map(([first = '']) => distinguishedNameKey(first))).size, same.length)
})

it('another value, order of parts or depth is another distinguished name', () => {
  const all = [
    'cn=admins,dc=example',
    'cn=admin,dc=example',
    'dc=example,cn=admins',
    'cn=admins,dc=example,dc=com',
    'ou=admins,dc=example',
    String.raw`cn=admins\,dc=example`,
    'cn=admins+dc=example',
    'cn=,dc=example',
  ]
  assert.equal(new Set(all.map(distinguishedNameKey)).size, all.length)
})

it('other texts are no distinguished names', () => {
  const texts = [
    '',
    'admins',
    'team=Blue',
    'cn',
    'cn=a,',
    'cn=a,b',
    'cn="a',
    'cn="a"b',
    String.raw`cn=\zz`,
    String.raw`cn=\ff`,
  ]
  for (const text of texts) assert.equal(distinguishedNameKey(text), undefined, text)
})
