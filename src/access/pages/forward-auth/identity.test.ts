import assert from 'node:assert/strict'
import { validateHeaderValue } from 'node:http'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Actor, SignedIn } from '../../../core/actor.ts'
import { headerText, identityHeaderNames, identityHeaders } from './identity.ts'

const ada: SignedIn = {
  session_id: 's',
  user_id: '019a9f3e-0000-7000-8000-000000000000',
  username: 'ada',
  email: null,
  first_name: '',
  last_name: 'Lovelace',
  role: 'admin',
  group_roles: '',
  groups: [],
  must_change_password: false,
  amr: ['pwd', 'otp', 'mfa'],
  authTimeMs: Date.parse('2026-11-23T12:00:00.000Z'),
  beganMs: Date.parse('2026-11-23T12:00:00.000Z'),
  must_add_factor: false,
  credentials_version: 0,
}

describe('identity headers', () => {
  it('are always all present, and empty if there is no value', () => {
    const person: Actor = { kind: 'user', id: ada.user_id, name: 'ada', permissions: ['*'], signedIn: ada }
    assert.deepEqual(identityHeaders(person, {}), {
      'remote-user': 'ada',
      'remote-user-id': ada.user_id,
      'remote-email': '',
      'remote-name': 'Lovelace',
      'remote-groups': 'admin',
      'remote-permissions': '*',
      'remote-client': '',
      'remote-attributes': '',
      'remote-auth-time': '1795435200',
      'remote-amr': 'pwd otp mfa',
      'remote-acr': 'aal2',
      'remote-actor': '',
      'remote-actor-id': '',
      'remote-organization': '',
      'remote-organization-name': '',
    })
    const key: Actor = { kind: 'api_key', id: 'k', name: 'admin', permissions: ['a:read', 'b:write'] }
    const service: Actor = { kind: 'service', id: 'https://idp.example.com|x y', name: 'admin', permissions: [] }
    for (const [actor, client] of [
      [key, 'k'],
      [service, 'https://idp.example.com|x y'],
    ] as const) {
      const headers = identityHeaders(actor, { department: 'Sales' })
      assert.deepEqual(Object.keys(headers), [...identityHeaderNames])
      assert.deepEqual([headers['remote-user'], headers['remote-groups'], headers['remote-client']], ['', '', client])
      assert.equal(headers['remote-attributes'], '')
      assert.deepEqual([headers['remote-auth-time'], headers['remote-amr'], headers['remote-acr']], ['', '', ''])
    }
    assert.equal(identityHeaders(key, {})['remote-permissions'], 'a:read b:write')
  })

  it('carry the attributes that are shown, as text that splits at commas and the first equals sign', () => {
    const of = (values: Parameters<typeof identityHeaders>[1]) => {
      const person: Actor = { kind: 'user', id: ada.user_id, name: 'ada', permissions: [], signedIn: ada }
      return identityHeaders(person, values)['remote-attributes']
    }
    const values = { department: 'Sales, "North"', team: ['a', 'b=c'], size: 3, remote: false }
    assert.equal(of(values), 'department=Sales%2C%20%22North%22,team=a,team=b%3Dc,size=3,remote=false')
    assert.equal(of({ a: 'x\r\nRemote-User: admin' }), 'a=x%0D%0ARemote-User:%20admin')
    // What is too long is left out as a whole.
    const many = Object.fromEntries([...'abcdef'].map((name) => [name, name.repeat(500)]))
    assert.equal(of(many), `${[...'abcd'].map((name) => `${name}=${many[name]}`).join()},~more`)
    assert.equal(of({ a: 'ä'.repeat(100), b: 'x' }), 'b=x,~more')
    assert.equal(of({ a: 'ä'.repeat(100) }), '~more')
  })

  it('stay below what proxies accept, however many groups and attributes there are, and say what is left out', () => {
    const long = '組'.repeat(128)
    const groups = Array.from({ length: 150 }, (_, n) => ({
      group_id: `${n}`,
      name: `Department number ${n}`,
      role: null,
    }))
    const names = { username: 'ada', first_name: long, last_name: long }
    const person = { ...ada, ...names, group_roles: 'support', groups }
    const actor: Actor = { kind: 'user', id: ada.user_id, name: 'ada', permissions: [], signedIn: person }
    const headers = identityHeaders(actor, Object.fromEntries(groups.map(({ name }) => [name, 'x'.repeat(100)])))
    const listed = headers['remote-groups'].split(',')
    assert.deepEqual([listed.slice(0, 3), listed.at(-1)], [['admin', 'support', 'Department%20number%200'], '~more'])
    assert.equal(headers['remote-attributes'].endsWith(',~more'), true)
    assert.match(decodeURIComponent(headers['remote-name']), /^組+…$/)
    for (const [name, most] of [
      ['remote-groups', 2048],
      ['remote-attributes', 2048],
      ['remote-name', 512],
    ] as const)
      assert.ok(headers[name].length <= most, name)
    const few = { ...person, groups: [{ group_id: '1', name: '~more', role: null }] }
    assert.equal(identityHeaders({ ...actor, signedIn: few }, {})['remote-groups'], 'admin,support,%7Emore')
  })

  it('encode in a list every character at which a product may split', () => {
    const names = ['x admin', 'finance;admin', 'a|admin', 'b,admin', 'c:d/e+f@g.h-i_j', "(o'b)", 'é', '*']
    const groups = names.map((name, n) => ({ group_id: String(n), name, role: null }))
    const person: Actor = {
      kind: 'user',
      id: ada.user_id,
      name: 'ada',
      permissions: ['*'],
      signedIn: { ...ada, groups } as never,
    }
    const headers = identityHeaders(person, {})
    const [role, ...listed] = headers['remote-groups'].split(/[^\w.@:/+%-]+/)
    assert.deepEqual([role, ...listed.map(decodeURIComponent).slice(-names.length)], [ada.role, ...names])
    assert.match(headers['remote-groups'], /^[\w.@:/+,%-]+$/)
    assert.equal(headers['remote-permissions'], '*')
  })

  it('carry names as they are, or percent-encoded', () => {
    const rows = [
      ['ada.lovelace@example.com', 'ada.lovelace@example.com'],
      ['Ada Lovelace', 'Ada Lovelace'],
      ['José', 'Jos%C3%A9'],
      ['100%', '100%25'],
      ['Hopper, Grace', 'Hopper%2C Grace'],
      ['{http.request.host}', '%7Bhttp.request.host%7D'],
      ['a"b\\c`', 'a%22b%5Cc%60'],
      [' a  b ', '%20a  b%20'],
      ['x\r\nRemote-User: admin', 'x%0D%0ARemote-User: admin'],
      ['\0\x7f\u2028', '%00%7F%E2%80%A8'],
      ['\ud800', '%EF%BF%BD'],
      ['👩‍🚀', '%F0%9F%91%A9%E2%80%8D%F0%9F%9A%80'],
    ] as const
    for (const [text, header] of rows) assert.equal(headerText(text), header)
  })

  it('survive a header and come back unchanged, whatever the text', () => {
    // Unpaired surrogates too.
    const unit = fc.oneof(fc.integer({ max: 0x7f, min: 0 }), fc.integer({ max: 0xffff, min: 0 }))
    fc.assert(
      fc.property(fc.array(unit), (units) => {
        const text = String.fromCharCode(...units)
        const header = headerText(text)
        validateHeaderValue('remote-name', header)
        assert.match(header, /^[\x20-\x7e]*$/)
        assert.equal(header, header.trim())
        assert.doesNotMatch(header, /[,"\\{}`]/)
        assert.equal(decodeURIComponent(header), text.toWellFormed())
      }),
    )
  })
})
