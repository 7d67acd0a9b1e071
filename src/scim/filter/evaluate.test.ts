import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { JsonObject } from '../protocol/json.ts'
import { enterpriseUserUrn, userUrn } from '../protocol/urns.ts'
import { simple, text } from '../schemas/attribute.ts'
import { defineResource, groupDefinition, userDefinition } from '../schemas/definition.ts'
import { compileFilter, compileFilterForAll, type FilterOptions } from './evaluate.ts'
import { parseFilter } from './parser.ts'

const ada: JsonObject = {
  schemas: [userUrn, enterpriseUserUrn],
  id: '2819c223',
  externalId: 'Ext-1',
  userName: 'Ada.Lovelace',
  name: { familyName: 'Lovelace', givenName: 'Ada', honorificPrefix: '' },
  title: 'Countess',
  nickName: '',
  active: false,
  emails: [
    { value: 'ada@Work.example', type: 'work', primary: true },
    { value: 'ada@home.example', type: 'home' },
  ],
  phoneNumbers: [{ value: '', type: '' }],
  ims: [],
  photos: [{ value: 'https://example.com/Ada.png', type: 'photo' }],
  meta: { resourceType: 'User', created: '2011-05-13T04:42:34Z', lastModified: '2011-05-13T06:42:34.5+02:00' },
  [enterpriseUserUrn]: { department: 'Analysis', manager: { value: 'm1' } },
}

function matches(filter: string, options?: FilterOptions, resource = ada): boolean {
  return compileFilter(parseFilter(filter), userDefinition, options)(resource)
}

function check(rows: readonly (readonly [filter: string, expected: boolean])[]): void {
  for (const [filter, expected] of rows) assert.equal(matches(filter), expected, filter)
}

describe('filters', () => {
  it('compare texts with or without case, as the schema says', () => {
    check([
      ['userName eq "ada.lovelace"', true],
      ['USERNAME eq "ADA.LOVELACE"', true],
      ['userName eq "ada"', false],
      ['userName ne "ada.lovelace"', false],
      ['userName ne "ada"', true],
      ['userName sw "ADA"', true],
      ['userName ew "Lace"', true],
      ['userName co ".l"', true],
      ['userName co "x"', false],
      ['userName gt "ada.lovelacd"', true],
      ['userName gt "ada.lovelace"', false],
      ['userName ge "ADA.LOVELACE"', true],
      ['userName lt "b"', true],
      ['userName le "ada.lovelac"', false],
      ['externalId eq "Ext-1"', true],
      ['externalId eq "ext-1"', false],
      ['externalId sw "ext"', false],
      ['id eq "2819C223"', false],
      ['urn:ietf:params:scim:schemas:core:2.0:user:USERNAME sw "ada"', true],
      ['name.familyName co "love"', true],
    ])
    assert.ok(matches('userName eq "ÄDA"', {}, { userName: 'a\u0308da' }))
  })

  it('compare times as times', () => {
    check([
      ['meta.created eq "2011-05-13T06:42:34+02:00"', true],
      ['meta.created eq "2011-05-13T04:42:34.000Z"', true],
      ['meta.lastModified gt "2011-05-13T04:42:34Z"', true],
      ['meta.lastModified gt "2011-05-13T05:00:00Z"', false],
      ['meta.lastModified ge "2011-05-13T04:42:34.5Z"', true],
      ['meta.lastModified lt "2011-05-13T04:42:34.6Z"', true],
      ['meta.created ne "2011-05-13T04:42:34Z"', false],
      ['meta.created sw "2011-05"', true],
    ])
    const broken = { meta: { created: 'long ago' } }
    assert.ok(matches('meta.created ne "2011-05-13T04:42:34Z"', {}, broken))
    assert.ok(!matches('meta.created le "2011-05-13T04:42:34Z"', {}, broken))
    for (const wrong of [
      '"yesterday"',
      '"2011-05-13"',
      '"2011-13-01T00:00:00Z"',
      '"2011-02-30T00:00:00Z"',
      '5',
      'true',
    ]) {
      assert.throws(() => matches(`meta.created gt ${wrong}`), { scimType: 'invalidFilter' })
    }
  })

  it('refuse an order of binary values', () => {
    for (const operator of ['gt', 'ge', 'lt', 'le']) {
      assert.throws(() => matches(`x509Certificates.value ${operator} "AAAA"`), { scimType: 'invalidFilter' })
    }
    check([['x509Certificates.value eq "AAAA"', false]])
  })

  it('match if one of several values does', () => {
    check([
      ['emails.value eq "ADA@work.example"', true],
      ['emails eq "ada@home.example"', true],
      ['emails co "@home"', true],
      ['emails.type ne "work"', true],
      ['emails.type eq "other"', false],
      ['emails.type eq "home" and emails.value co "@work"', true],
      ['emails.primary eq true', true],
      ['photos.value ew "Ada.png"', true],
      ['photos.value ew "ada.png"', false],
      ['schemas eq "urn:ietf:params:scim:schemas:core:2.0:User"', true],
    ])
  })

  it('match one value with everything in brackets', () => {
    check([
      ['emails[type eq "work" and value co "@work"]', true],
      ['emails[type eq "home" and value co "@work"]', false],
      ['emails[not (type eq "work")]', true],
      ['emails[type eq "other"]', false],
      ['emails[primary eq true].value eq "ada@work.example"', true],
      ['emails[type eq "home"].value eq "ada@work.example"', false],
      ['emails[type eq "home"].value pr', true],
      ['emails[type eq "home"].display pr', false],
      ['not (emails[type eq "other"])', true],
      ['ims[type eq "aim"]', false],
      [`${enterpriseUserUrn}:manager[value eq "m1"]`, true],
    ])
  })

  it('know empty values', () => {
    check([
      ['title pr', true],
      ['nickName pr', false],
      ['displayName pr', false],
      ['ims pr', false],
      ['phoneNumbers pr', false],
      ['emails pr', true],
      ['name pr', true],
      ['name.honorificPrefix pr', false],
      ['active pr', true],
      ['displayName eq "x"', false],
      ['displayName ne "x"', true],
      ['ims.value ne "x"', true],
      ['displayName eq null', true],
      ['displayName ne null', false],
      ['title eq null', false],
      ['title ne null', true],
      ['emails.display eq null', true],
      ['displayName gt "a"', false],
      ['displayName lt "z"', false],
      ['displayName co ""', false],
      ['meta.created ne null', true],
      [`${enterpriseUserUrn} pr`, true],
    ])
    assert.equal(matches(`${enterpriseUserUrn} pr`, {}, { userName: 'x' }), false)
    assert.equal(matches(`${enterpriseUserUrn}:manager.value ne "m1"`, {}, { userName: 'x' }), true)
  })

  it('read extensions, and booleans', () => {
    check([
      [`${enterpriseUserUrn}:department eq "analysis"`, true],
      [`${enterpriseUserUrn}:manager.value eq "m1"`, true],
      [`${enterpriseUserUrn}:manager eq "m1"`, true],
      [`${enterpriseUserUrn.toUpperCase().replace('URN', 'urn')}:DEPARTMENT pr`, true],
      ['active eq false', true],
      ['active ne false', false],
      ['active ne true', true],
    ])
    assert.ok(matches('active eq "False"', { booleansAsText: true }))
    assert.throws(() => matches('active eq "False"'), { scimType: 'invalidFilter' })
    assert.throws(() => matches('active eq "no"', { booleansAsText: true }), { scimType: 'invalidFilter' })
  })

  it('refuse comparisons that the type does not have, and unknown attributes', () => {
    for (const [filter, message] of [
      ['active gt true', /only with eq and ne/],
      ['active co "t"', /only with eq and ne/],
      ['active eq 1', /true or false/],
      ['userName eq true', /quotation marks/],
      ['userName eq 5', /quotation marks/],
      ['userName gt null', /null/],
      ['name eq "x"', /sub-attributes/],
      ['meta eq "x"', /sub-attributes/],
      [`${enterpriseUserUrn} eq "x"`, /sub-attributes/],
      ['usrName eq "x"', /Did you mean userName\?/],
      ['department eq "x"', /Did you mean urn:.*:department\?/],
      ['userName.value eq "x"', /does not have/],
      ['emails.foo eq "x"', /does not have/],
      ['emails[foo eq "x"]', /use its value, display, type, primary/],
      ['emails[emails.type eq "x"]', /use its/],
      ['emails[type.value eq "x"]', /use its/],
      [`emails[${userUrn}:type eq "x"]`, /use its/],
      ['emails[type[value eq "x"]]', /not complex/],
      ['userName[value eq "x"]', /not complex/],
      ['urn:example:x:userName eq "x"', /does not have/],
      ['members eq "x"', /does not have/],
      ['password eq "x"', /never returned/],
      ['password pr', /never returned/],
      ['__proto__ pr', /./],
      ['constructor pr', /does not have/],
      ['toString pr', /does not have/],
      ['name.constructor pr', /does not have/],
    ] as const) {
      assert.throws(() => matches(filter), { scimType: 'invalidFilter', status: 400, message }, filter)
    }
  })

  it('take attributes of other types as absent, where several types are searched', () => {
    const options = { unknownIsAbsent: true }
    for (const [filter, expected] of [
      ['members pr', false],
      ['members eq "x"', false],
      ['members ne "x"', true],
      ['members eq null', true],
      ['members[value eq "x"]', false],
      ['userName pr or members pr', true],
      ['meta.resourceType eq "User"', true],
    ] as const) {
      assert.equal(matches(filter, options), expected, filter)
    }
    const group = { displayName: 'Tour Guides', members: [{ value: 'u1', type: 'User' }] }
    assert.ok(compileFilter(parseFilter('members.value eq "u1"'), groupDefinition)(group))
    assert.ok(compileFilter(parseFilter('members[value eq "u1"]'), groupDefinition)(group))
  })

  it('are compiled for several types at once', () => {
    const matchesAll = (filter: string, resource: JsonObject) =>
      compileFilterForAll(parseFilter(filter), [userDefinition, groupDefinition]).map((matching) => matching(resource))
    const both = { displayName: 'Ada', userName: 'ada', members: [{ value: 'u1' }] }
    assert.deepEqual(matchesAll('displayName eq "ada"', both), [true, true])
    assert.deepEqual(matchesAll('userName eq "ada" or not (members pr)', both), [true, false])
    for (const filter of [
      'shoeSize pr',
      'userName pr or (title pr and not (shoeSize pr))',
      'active gt true',
      'members[size eq "x"]',
    ]) {
      assert.throws(() => matchesAll(filter, both), { scimType: 'invalidFilter' })
    }
  })

  it('compare numbers as numbers', () => {
    const definition = defineResource({
      name: 'Thing',
      description: '',
      endpoint: '/Things',
      schema: {
        id: 'urn:x:Thing',
        name: 'Thing',
        description: '',
        attributes: [simple('size', 'decimal', ''), text('labels', '', { multiValued: true })],
      },
    })
    const passes = (filter: string) => compileFilter(parseFilter(filter), definition)({ size: 9.5, labels: ['a', 'B'] })
    for (const [filter, expected] of [
      ['size gt 10', false],
      ['size lt 10', true],
      ['size ge 9.5', true],
      ['size eq 95e-1', true],
      ['size ne 9.5', false],
      ['labels eq "b"', true],
      ['labels pr', true],
    ] as const) {
      assert.equal(passes(filter), expected, filter)
    }
    assert.throws(() => passes('size eq "9.5"'), { scimType: 'invalidFilter' })
    assert.throws(() => passes('size co 9'), { scimType: 'invalidFilter' })
  })

  it('obey the laws of logic', () => {
    const part = fc.constantFrom(
      'title pr',
      'nickName pr',
      'active eq true',
      'userName sw "a"',
      'emails[type eq "home" and primary eq true]',
      'emails.type ne "work"',
      'displayName eq null',
    )
    fc.assert(
      fc.property(part, part, part, (a, b, c) => {
        assert.equal(matches(`not (${a})`), !matches(a))
        assert.equal(matches(`not (${a} and ${b})`), matches(`not (${a}) or not (${b})`))
        assert.equal(matches(`${a} and ${b} or ${c}`), (matches(a) && matches(b)) || matches(c))
        assert.equal(matches(`${a} or ${b} and ${c}`), matches(a) || (matches(b) && matches(c)))
        assert.equal(matches(`${a} and (${b} or ${c})`), matches(`${a} and ${b} or ${a} and ${c}`))
      }),
    )
  })

  it('find any text by itself, by its beginning, its end and its middle', () => {
    const word = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((one) => one.isWellFormed())
    fc.assert(
      fc.property(word, word, word, (before, middle, after) => {
        const user = { title: before + middle + after, externalId: before + middle + after }
        const whole = JSON.stringify(user.title)
        for (const name of ['title', 'externalId']) {
          assert.ok(matches(`${name} eq ${whole}`, {}, user))
          assert.ok(matches(`${name} ge ${whole} and ${name} le ${whole}`, {}, user))
          assert.ok(!matches(`${name} ne ${whole} or ${name} gt ${whole} or ${name} lt ${whole}`, {}, user))
        }
        assert.ok(matches(`externalId sw ${JSON.stringify(before)}`, {}, user))
        assert.ok(matches(`externalId co ${JSON.stringify(middle)}`, {}, user))
        assert.ok(matches(`externalId ew ${JSON.stringify(after)}`, {}, user))
      }),
    )
  })
})
