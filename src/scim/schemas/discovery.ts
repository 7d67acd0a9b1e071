/** The schemas of the discovery resources: ServiceProviderConfig, ResourceType and Schema (RFC 7643 §5, §6, §7, RFC 9865 §4). */
import { resourceTypeUrn, schemaUrn, serviceProviderConfigUrn } from '../protocol/urns.ts'
import { type Attribute, type AttributeOptions, complex, type Schema, simple, text } from './attribute.ts'

const readOnly = { mutability: 'readOnly' } as const
const required = { mutability: 'readOnly', required: true } as const
const requiredUri = { ...required, caseExact: true, referenceTypes: ['uri'] } as const

function flag(name: string, description: string, options: AttributeOptions = required): Attribute {
  return simple(name, 'boolean', description, options)
}

function amount(name: string, description: string, options: AttributeOptions = required): Attribute {
  return simple(name, 'integer', description, options)
}

function feature(name: string, description: string, ...more: Attribute[]): Attribute {
  return complex(name, description, [flag('supported', 'Whether it is supported.'), ...more], required)
}

export const serviceProviderConfigSchema: Schema = {
  id: serviceProviderConfigUrn,
  name: 'ServiceProviderConfig',
  description: 'What this server supports.',
  attributes: [
    simple('documentationUri', 'reference', 'The address of the documentation.', {
      ...readOnly,
      referenceTypes: ['external'],
    }),
    feature('patch', 'PATCH.'),
    feature(
      'bulk',
      'Bulk requests.',
      amount('maxOperations', 'The most operations of one request.'),
      amount('maxPayloadSize', 'The most bytes of one request.'),
    ),
    feature('filter', 'Filters.', amount('maxResults', 'The most resources in one response.')),
    feature('changePassword', 'Setting a password.'),
    feature('sort', 'Sorting.'),
    feature('etag', 'ETags.'),
    complex(
      'pagination',
      'The kinds of paging (RFC 9865).',
      [
        flag('cursor', 'Whether pages can be read by cursor.'),
        flag('index', 'Whether pages can be read by index.'),
        text('defaultPaginationMethod', 'The kind for requests that name none.', {
          ...readOnly,
          canonicalValues: ['cursor', 'index'],
        }),
        amount('defaultPageSize', 'The size of a page for requests that name none.', readOnly),
        amount('maxPageSize', 'The most resources of a page.', readOnly),
        amount('cursorTimeout', 'For how many seconds a cursor is valid.', readOnly),
      ],
      readOnly,
    ),
    complex(
      'authenticationSchemes',
      'How clients authenticate.',
      [
        text('type', 'The kind of authentication.', {
          ...required,
          canonicalValues: ['oauth', 'oauth2', 'oauthbearertoken', 'httpbasic', 'httpdigest'],
        }),
        text('name', 'The name of the scheme.', required),
        text('description', 'How it is used.', required),
        simple('specUri', 'reference', 'The address of the specification.', {
          ...readOnly,
          referenceTypes: ['external'],
        }),
        simple('documentationUri', 'reference', 'The address of the documentation.', {
          ...readOnly,
          referenceTypes: ['external'],
        }),
        flag('primary', 'Whether it is the preferred one.', readOnly),
      ],
      { ...required, multiValued: true },
    ),
  ],
}

export const resourceTypeSchema: Schema = {
  id: resourceTypeUrn,
  name: 'ResourceType',
  description: 'A type of resource.',
  attributes: [
    text('name', 'The name of the type.', required),
    text('description', 'What the type is for.', readOnly),
    simple('endpoint', 'reference', 'The path of the resources, below the base.', requiredUri),
    simple('schema', 'reference', 'The main schema.', requiredUri),
    complex(
      'schemaExtensions',
      'The extensions of the main schema.',
      [
        simple('schema', 'reference', 'The schema of the extension.', requiredUri),
        flag('required', 'Whether every resource of the type has it.'),
      ],
      { ...readOnly, multiValued: true },
    ),
  ],
}

/** The members that describe an attribute or a sub-attribute in a schema. */
function described(subAttributes: readonly Attribute[]): Attribute[] {
  return [
    text('name', 'The name of the attribute.', { ...required, caseExact: true }),
    text('type', 'The type of its values.', {
      ...required,
      canonicalValues: ['string', 'complex', 'boolean', 'decimal', 'integer', 'dateTime', 'reference', 'binary'],
    }),
    flag('multiValued', 'Whether it is a list.'),
    text('description', 'What it is for.', readOnly),
    flag('required', 'Whether every resource has it.', readOnly),
    simple('canonicalValues', 'string', 'Suggested values.', { ...readOnly, caseExact: true, multiValued: true }),
    flag('caseExact', 'Whether case matters when values are compared.', readOnly),
    text('mutability', 'Who may set it.', {
      ...readOnly,
      caseExact: true,
      canonicalValues: ['readOnly', 'readWrite', 'immutable', 'writeOnly'],
    }),
    text('returned', 'When it is returned.', {
      ...readOnly,
      caseExact: true,
      canonicalValues: ['always', 'never', 'default', 'request'],
    }),
    text('uniqueness', 'Where a value may occur only once.', {
      ...readOnly,
      caseExact: true,
      canonicalValues: ['none', 'server', 'global'],
    }),
    simple('referenceTypes', 'string', 'What a reference may point to.', {
      ...readOnly,
      caseExact: true,
      multiValued: true,
    }),
    ...subAttributes,
  ]
}

export const schemaSchema: Schema = {
  id: schemaUrn,
  name: 'Schema',
  description: 'A schema: its attributes, and how they behave.',
  attributes: [
    text('name', 'The name of the schema.', required),
    text('description', 'What the schema is for.', readOnly),
    complex(
      'attributes',
      'The attributes of the schema.',
      described([
        complex('subAttributes', 'The attributes of a complex attribute.', described([]), {
          ...readOnly,
          multiValued: true,
        }),
      ]),
      { ...required, multiValued: true },
    ),
  ],
}
