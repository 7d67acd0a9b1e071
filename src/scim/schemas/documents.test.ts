import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isArray, isObject, type Json, type JsonObject } from '../protocol/json.ts'
import { profiles } from '../protocol/profiles.ts'
import { enterpriseUserUrn, groupUrn, rollbookUserUrn, userUrn } from '../protocol/urns.ts'
import type { Schema } from './attribute.ts'
import { defineResource, groupDefinition, userDefinition } from './definition.ts'
import { resourceTypeSchema, schemaSchema, serviceProviderConfigSchema } from './discovery.ts'
import { resourceTypeDocuments, schemaDocuments, serviceProviderConfigDocument } from './documents.ts'
import { readValue } from './read.ts'

const base = 'https://example.com/auth/scim/v2'
const definitions = [userDefinition, groupDefinition]
const limits = {
  documentationUri: 'https://example.com/auth/docs',
  maxOperations: 1000,
  maxPayloadSize: 1_048_576,
  defaultPageSize: 100,
  maxPageSize: 1000,
  cursorTimeoutSeconds: 3600,
}

/** Throws unless every member is in the schema, with its type. Read-only members are checked as if they were not. */
function conforms(document: JsonObject, schema: Schema): void {
  const writable = JSON.parse(JSON.stringify(schema).replaceAll('"readOnly"', '"readWrite"')) as Schema
  const definition = defineResource({ name: schema.name, description: '', endpoint: '/', schema: writable })
  for (const [name, value] of Object.entries(document)) {
    if (['schemas', 'id', 'meta'].includes(name)) continue
    const attribute = definition.attributes.get(name.toLowerCase())
    assert.ok(attribute, `${schema.name} has no attribute ${name}`)
    assert.deepEqual(readValue(attribute, value, name, profiles.strict, []), withoutEmpty(value))
  }
  for (const { name, required } of schema.attributes) assert.ok(!required || name in document, `${name} is missing`)
}

function withoutEmpty(value: Json): Json | undefined {
  if (isArray(value)) return value.length === 0 ? undefined : value.map((one) => withoutEmpty(one) ?? null)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) =>
      withoutEmpty(one) === undefined ? [] : [[key, withoutEmpty(one) ?? null]],
    ),
  )
}

function everyValue(value: Json): Json[] {
  return isObject(value) || isArray(value) ? Object.values(value).flatMap(everyValue) : [value]
}

describe('discovery', () => {
  it('describes every schema by the schema of schemas, without nulls', () => {
    const documents = schemaDocuments(definitions, base)
    assert.deepEqual(documents.map(({ id }) => id).slice(0, 4), [userUrn, enterpriseUserUrn, rollbookUserUrn, groupUrn])
    assert.equal(documents.length, 7)
    // The schema of schemas is one level deeper than it describes, in RFC 7643 §8.7.2 too.
    for (const document of documents.slice(0, -1)) conforms(document, schemaSchema)
    for (const document of documents) {
      assert.ok(!everyValue(document).includes(null))
      assert.deepEqual(document.meta, { resourceType: 'Schema', location: `${base}/Schemas/${document.id}` })
    }
  })

  it('describes resource types and the server likewise', () => {
    const types = resourceTypeDocuments(definitions, base)
    for (const document of types) conforms(document, resourceTypeSchema)
    assert.deepEqual(types[0]?.schemaExtensions, [
      { schema: enterpriseUserUrn, required: false },
      { schema: rollbookUserUrn, required: false },
    ])
    const config = serviceProviderConfigDocument(limits, base)
    conforms(config, serviceProviderConfigSchema)
    for (const feature of ['patch', 'filter', 'changePassword', 'sort', 'etag', 'bulk']) {
      assert.match(JSON.stringify(config[feature]), /^\{"supported":true[,}]/)
    }
    assert.deepEqual(config.pagination, {
      cursor: true,
      index: true,
      defaultPaginationMethod: 'index',
      defaultPageSize: 100,
      maxPageSize: 1000,
      cursorTimeout: 3600,
    })
  })

  it('has the attributes of RFC 7643 with their behaviour', () => {
    const find = (name: string) => userDefinition.attributes.get(name.toLowerCase())
    assert.deepEqual(
      userDefinition.schema.attributes.map(({ name }) => name),
      [
        'userName',
        'name',
        'displayName',
        'nickName',
        'profileUrl',
        'title',
        'userType',
        'preferredLanguage',
        'locale',
        'timezone',
        'active',
        'password',
        'emails',
        'phoneNumbers',
        'ims',
        'photos',
        'addresses',
        'groups',
        'entitlements',
        'roles',
        'x509Certificates',
      ],
    )
    assert.deepEqual(
      [find('userName')?.required, find('userName')?.caseExact, find('userName')?.uniqueness],
      [true, false, 'server'],
    )
    assert.deepEqual([find('password')?.mutability, find('password')?.returned], ['writeOnly', 'never'])
    assert.equal(find('groups')?.mutability, 'readOnly')
    assert.deepEqual(
      [find('id')?.caseExact, find('id')?.mutability, find('id')?.returned],
      [true, 'readOnly', 'always'],
    )
    assert.equal(find('externalId')?.caseExact, true)
  })
})
