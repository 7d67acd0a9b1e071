import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { JsonObject } from '../protocol/json.ts'
import { enterpriseUserUrn, userUrn } from '../protocol/urns.ts'
import { text } from './attribute.ts'
import { defineResource, userDefinition } from './definition.ts'
import { compileProjection } from './project.ts'

const ada: JsonObject = {
  schemas: [userUrn, enterpriseUserUrn],
  id: 'u1',
  externalId: 'x1',
  userName: 'ada',
  password: 'secret',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [
    { value: 'a@example.com', type: 'work' },
    { value: 'b@example.com', type: 'home' },
  ],
  meta: { resourceType: 'User', location: 'https://x/Users/u1' },
  [enterpriseUserUrn]: { department: 'Sales', division: 'North', manager: { value: 'm1', displayName: 'Bo' } },
}
const { password: _, ...visible } = ada
const always = { schemas: ada.schemas, id: 'u1' }

const only = (...attributes: string[]) => compileProjection(userDefinition, { attributes })(ada)
const without = (...excludedAttributes: string[]) => compileProjection(userDefinition, { excludedAttributes })(ada)

describe('the attributes of a response', () => {
  it('are all but those that are never returned', () => {
    assert.deepEqual(compileProjection(userDefinition, {})(ada), visible)
    assert.deepEqual(only('password'), always)
  })

  it('are those that were asked for, and those that are always returned', () => {
    assert.deepEqual(only('userName'), { ...always, userName: 'ada' })
    assert.deepEqual(only(' USERNAME ', 'meta'), { ...always, userName: 'ada', meta: ada.meta })
    assert.deepEqual(only('name.givenName'), { ...always, name: { givenName: 'Ada' } })
    assert.deepEqual(only('name.givenName', 'name'), { ...always, name: ada.name })
    assert.deepEqual(only('name', 'name.givenName'), { ...always, name: ada.name })
    assert.deepEqual(only('emails.value'), {
      ...always,
      emails: [{ value: 'a@example.com' }, { value: 'b@example.com' }],
    })
    assert.deepEqual(only('emails.display'), always)
    assert.deepEqual(only(`${userUrn}:userName`), { ...always, userName: 'ada' })
    assert.deepEqual(only(`${enterpriseUserUrn}:department`), {
      ...always,
      [enterpriseUserUrn]: { department: 'Sales' },
    })
    assert.deepEqual(only(`${enterpriseUserUrn}:manager.value`), {
      ...always,
      [enterpriseUserUrn]: { manager: { value: 'm1' } },
    })
    assert.deepEqual(only(enterpriseUserUrn), { ...always, [enterpriseUserUrn]: ada[enterpriseUserUrn] })
    assert.deepEqual(only('unknown', '__proto__', 'constructor'), always)
  })

  it('lack those that were excluded, unless they are always returned', () => {
    const { emails: _emails, ...rest } = visible
    assert.deepEqual(without('emails'), rest)
    assert.deepEqual(without('id', 'schemas', 'emails'), rest)
    assert.deepEqual(without('emails.type'), {
      ...visible,
      emails: [{ value: 'a@example.com' }, { value: 'b@example.com' }],
    })
    assert.deepEqual(without('emails.type', 'emails.value'), rest)
    const { [enterpriseUserUrn]: _extension, ...core } = visible
    assert.deepEqual(without(enterpriseUserUrn), core)
    assert.deepEqual(without(`${enterpriseUserUrn}:manager`), {
      ...visible,
      [enterpriseUserUrn]: { department: 'Sales', division: 'North' },
    })
    assert.deepEqual(without('unknown'), visible)
  })

  it('follow what the schema says of each attribute', () => {
    const definition = defineResource({
      name: 'Thing',
      description: '',
      endpoint: '/Things',
      schema: {
        id: 'urn:x:Thing',
        name: 'Thing',
        description: '',
        attributes: [text('big', '', { returned: 'request' }), text('key', '', { returned: 'always' })],
      },
    })
    const thing = { id: '1', big: 'b', key: 'k' }
    assert.deepEqual(compileProjection(definition, {})(thing), { id: '1', key: 'k' })
    assert.deepEqual(compileProjection(definition, { attributes: ['big'] })(thing), thing)
    assert.deepEqual(compileProjection(definition, { excludedAttributes: ['key', 'big'] })(thing), {
      id: '1',
      key: 'k',
    })
  })

  it('are together those that were asked for and those that are left without them', () => {
    const name = fc.constantFrom('userName', 'name', 'emails', 'meta', 'externalId')
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1 }), (names) => {
        assert.deepEqual({ ...only(...names), ...without(...names) }, visible)
        for (const one of names) assert.ok(!(one in without(...names)) && one in only(...names))
      }),
    )
  })
})
