/** The attributes of every resource (RFC 7643 §3 and §3.1). `/Schemas` does not list them. */
import { type Attribute, complex, simple, text } from './attribute.ts'

const readOnly = { mutability: 'readOnly' } as const

export const commonAttributes: readonly Attribute[] = [
  simple('schemas', 'reference', 'The schemas of the resource.', {
    multiValued: true,
    caseExact: true,
    required: true,
    returned: 'always',
    referenceTypes: ['uri'],
  }),
  simple('id', 'string', 'The id of the resource. The server sets it.', {
    ...readOnly,
    caseExact: true,
    required: true,
    returned: 'always',
    uniqueness: 'server',
  }),
  simple('externalId', 'string', 'The id of the resource at the client.', { caseExact: true }),
  complex(
    'meta',
    'When and where the resource was stored.',
    [
      simple('resourceType', 'string', 'The type of the resource.', { ...readOnly, caseExact: true }),
      simple('created', 'dateTime', 'When the resource was created.', readOnly),
      simple('lastModified', 'dateTime', 'When the resource last changed.', readOnly),
      simple('location', 'reference', 'The address of the resource.', {
        ...readOnly,
        caseExact: true,
        referenceTypes: ['uri'],
      }),
      text('version', 'The version of the resource, as in its ETag.', { ...readOnly, caseExact: true }),
    ],
    readOnly,
  ),
]
