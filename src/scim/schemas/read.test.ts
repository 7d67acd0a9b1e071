import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../../test/cases.ts'
import { assertCheap } from '../../../test/processor-time.ts'
import { bjensen } from '../../../test/scim/bjensen.ts'
import { acceptResource } from '../patch/apply.ts'
import type { JsonObject } from '../protocol/json.ts'
import { profiles } from '../protocol/profiles.ts'
import { enterpriseUserUrn, groupUrn, userUrn } from '../protocol/urns.ts'
import { simple } from './attribute.ts'
import { groupDefinition, userDefinition } from './definition.ts'
import { readValue } from './read.ts'

const strict = (body: unknown) => acceptResource(body, userDefinition, profiles.strict).resource
const entra = (body: unknown) => acceptResource(body, userDefinition, profiles.entra)
const user = (members: JsonObject) => ({ schemas: [userUrn], userName: 'ada', ...members })

describe('resources from clients', () => {
  it('keep every value of the example of the RFC exactly as it was sent', () => {
    const sent = { ...bjensen, password: 't1meMa$heen' }
    assert.deepEqual(strict(sent), sent)
  })

  it('get the names of the schema, without what only the server sets', () => {
    assert.deepEqual(
      strict({
        SCHEMAS: [userUrn.toUpperCase()],
        USERNAME: ' Ada ',
        id: 'mine',
        meta: { resourceType: 'User' },
        groups: [{ value: 'g' }],
        NAME: { GivenName: 'A' },
        [enterpriseUserUrn.toLowerCase()]: { Manager: { VALUE: 'm', displayName: 'The boss' } },
      }),
      {
        schemas: [userUrn, enterpriseUserUrn],
        userName: ' Ada ',
        name: { givenName: 'A' },
        [enterpriseUserUrn]: { manager: { value: 'm' } },
      },
    )
  })

  it('have no attribute for null, for an empty list and for an object without members', () => {
    assert.deepEqual(
      strict(user({ title: null, emails: [], name: {}, roles: [null], ims: [{ value: null }], nickName: '' })),
      user({ nickName: '' }),
    )
  })

  it('are refused with what to change', () => {
    for (const [body, scimType, message] of [
      ['text', 'invalidSyntax', /JSON object/],
      [[], 'invalidSyntax', /JSON object/],
      [null, 'invalidSyntax', /JSON object/],
      [{ userName: 'x' }, 'invalidSyntax', /schemas is missing/],
      [{ schemas: [], userName: 'x' }, 'invalidSyntax', /schemas must contain/],
      [{ schemas: [groupUrn], userName: 'x' }, 'invalidSyntax', /not among those/],
      [{ schemas: [userUrn, 'urn:x'], userName: 'x' }, 'invalidSyntax', /not among those/],
      [{ schemas: userUrn, userName: 'x' }, 'invalidSyntax', /list/],
      [{ schemas: [userUrn] }, 'invalidValue', /userName is required/],
      [user({ userName: '' }), 'invalidValue', /userName is required/],
      [user({ userName: null }), 'invalidValue', /userName is required/],
      [user({ userName: 5 }), 'invalidValue', /userName must be a string/],
      [user({ userName: '\ud800' }), 'invalidValue', /half characters/],
      [user({ USERNAME: 'b' }), 'invalidSyntax', /differ only in case/],
      [user({ name: { givenName: 'a', GIVENNAME: 'b' } }), 'invalidSyntax', /differ only in case/],
      [user({ active: 'true' }), 'invalidValue', /active must be true or false/],
      [user({ emails: { value: 'x' } }), 'invalidValue', /emails must be a list/],
      [user({ emails: ['x'] }), 'invalidValue', /emails must be an object/],
      [user({ emails: [{ value: 1 }] }), 'invalidValue', /emails.value must be a string/],
      [
        user({
          emails: [
            { primary: true, value: 'a' },
            { primary: true, value: 'b' },
          ],
        }),
        'invalidValue',
        /primary/,
      ],
      [user({ x509Certificates: [{ value: 'not base64!' }] }), 'invalidValue', /x509Certificates.value must be base64/],
      [user({ name: 'Ada' }), 'invalidValue', /name must be an object/],
      [user({ title: ['x'] }), 'invalidValue', /title must be a string/],
      [user({ shoeSize: 5 }), 'invalidSyntax', /does not have/],
      [user({ usrename: 'x' }), 'invalidSyntax', /Did you mean userName\?/],
      [user({ department: 'x' }), 'invalidSyntax', /Did you mean urn:.*:department\?/],
      [user({ 'name.givenName': 'x' }), 'invalidSyntax', /does not have/],
      [user({ name: { first: 'x' } }), 'invalidSyntax', /does not have/],
      [user({ [enterpriseUserUrn]: { salary: 'x' } }), 'invalidSyntax', /does not have/],
      [user({ [enterpriseUserUrn]: { manager: 'x' } }), 'invalidValue', /manager must be an object/],
      [user({ roles: Array.from({ length: 1_001 }, (_, n) => ({ value: `${n}` })) }), 'invalidValue', /at most 1000/],
      [
        JSON.parse('{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"x","__proto__":{"a":1}}'),
        'invalidSyntax',
        /does not have/,
      ],
      [user({ constructor: { prototype: { polluted: true } } }), 'invalidSyntax', /does not have/],
    ] as const) {
      assert.throws(() => strict(body), { scimType, message }, JSON.stringify(body).slice(0, 200))
    }
  })

  it('may have the habits of Entra, if the profile allows them', () => {
    const { resource, ignored } = entra({
      schemas: [userUrn, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/User'],
      userName: [{ $ref: null, value: 'ada' }],
      active: 'False',
      emails: { value: 'a@example.com', primary: 'True', type: 'work' },
      'name.givenName': 'Ada',
      [`${enterpriseUserUrn}:employeeNumber`]: '7',
      [enterpriseUserUrn]: { manager: 'm1', department: 'Sales', salary: 5 },
      roles: [],
      shoeSize: 5,
    })
    assert.deepEqual(resource, {
      schemas: [userUrn, enterpriseUserUrn],
      userName: 'ada',
      active: false,
      emails: [{ value: 'a@example.com', primary: true, type: 'work' }],
      name: { givenName: 'Ada' },
      [enterpriseUserUrn]: { manager: { value: 'm1' }, department: 'Sales', employeeNumber: '7' },
    })
    assert.deepEqual(ignored, [
      'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/User',
      `${enterpriseUserUrn}:salary`,
      'shoeSize',
    ])
  })

  it('may be what the documentation of Entra shows', () => {
    const user = {
      schemas: [userUrn, enterpriseUserUrn],
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: 'Test_User_00aa00aa-bb11-cc22-dd33-44ee44ee44ee',
      active: true,
      emails: [{ primary: true, type: 'work', value: 'Test_User_11bb11bb@testuser.com' }],
      name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
    }
    const sent = { ...user, meta: { resourceType: 'User' }, roles: [] }
    assert.deepEqual(strict(sent), { ...user, schemas: [userUrn] })
    const group = {
      schemas: [groupUrn, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
      externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
      displayName: 'displayName',
      meta: { resourceType: 'Group' },
    }
    assert.deepEqual(acceptResource(group, groupDefinition, profiles.entra).resource, {
      schemas: [groupUrn],
      externalId: group.externalId,
      displayName: 'displayName',
    })
  })

  it('name the attribute that is wrong by its whole path', () => {
    const body = user({ [enterpriseUserUrn]: { manager: { value: 5 } } })
    assert.throws(() => strict(body), { message: `${enterpriseUserUrn}:manager.value must be a string.` })
  })

  it('have numbers, times and references as the schema says', () => {
    for (const [type, right, wrong] of [
      ['decimal', 1.5, '1.5'],
      ['integer', 3, 1.5],
      ['dateTime', '2026-11-20T09:30:00Z', '2026-11-20'],
      ['reference', 'https://x', 5],
      ['boolean', false, 0],
    ] as const) {
      const attribute = simple('thing', type, '')
      assert.equal(readValue(attribute, right, 'thing', profiles.strict, []), right)
      assert.throws(() => readValue(attribute, wrong, 'thing', profiles.strict, []), { scimType: 'invalidValue' })
    }
  })

  it('never reach a prototype', () => {
    const names = ['__proto__', 'constructor', 'prototype', 'toString', '__proto__.x', 'constructor.prototype.x']
    for (const name of names) {
      for (const value of ['{"x":1}', '[{"x":1}]', '"x"']) {
        const body = `{"userName":"a",${JSON.stringify(name)}:${value},"name":{${JSON.stringify(name)}:${value}},"emails":[{"value":"a",${JSON.stringify(name)}:${value}}]}`
        const { resource } = entra(JSON.parse(body))
        assert.deepEqual(resource, { schemas: [userUrn], userName: 'a', emails: [{ value: 'a' }] })
        assert.equal(Object.getPrototypeOf(resource), Object.prototype)
        assert.equal(({} as { x?: unknown }).x, undefined)
      }
    }
  })

  it('come back as they are when they are sent again', () => {
    const name = fc.constantFrom(
      'userName',
      'USERname',
      'title',
      'emails',
      'active',
      'name',
      'x',
      enterpriseUserUrn,
      'manager',
      'value',
      'type',
      'primary',
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>('a', 'B', true, 'True', null, 5, ''),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }))
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 5, noNullPrototype: true }), (body) => {
        for (const profile of [profiles.strict, profiles.entra]) {
          try {
            const { resource } = acceptResource({ schemas: [userUrn], userName: 'u', ...body }, userDefinition, profile)
            assert.deepEqual(acceptResource(resource, userDefinition, profiles.strict).resource, resource)
          } catch (error) {
            assert.equal((error as Error).name, 'ScimError', String(error))
          }
        }
      }),
      { numRuns: cases(2_000) },
    )
  })

  it('can be groups with very many members', () => {
    const members = Array.from({ length: 20_000 }, (_, n) => ({ value: `u${n}`, display: 'x', $ref: null }))
    assertCheap(2_000, () => {
      const { resource } = acceptResource(
        { schemas: [groupUrn], displayName: 'Everyone', members },
        groupDefinition,
        profiles.strict,
      )
      assert.deepEqual((resource.members as unknown[])[19_999], { value: 'u19999' })
    })
  })
})
