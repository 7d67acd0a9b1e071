import type { FromSchema } from 'json-schema-to-ts'
import { managedByFileMember } from '../../store/managed-by-file.ts'

const instant = { type: 'string', format: 'date-time', examples: ['2026-11-20T09:30:00.000Z'] } as const

export const types = ['string', 'number', 'boolean', 'date', 'datetime', 'url', 'email', 'enum', 'string[]'] as const
export const editors = ['admin', 'user', 'nobody'] as const

/** A larger directory schema belongs into the product's own database. */
export const mostDefinitions = 64
/** All values of a user together, as JSON. */
export const mostBytes = 16 * 1024

/** The form of a name; the patterns of the parameters of lists are made from it. */
export const nameForm = '[a-z][a-z0-9_]{0,63}'

const name = {
  type: 'string',
  pattern: `^${nameForm}$`,
  description: 'The name of the member in `attributes`. It cannot be changed later.',
  examples: ['department'],
} as const
const label = { type: 'string', minLength: 1, maxLength: 128, examples: ['Department'] } as const
const type = {
  type: 'string',
  enum: types,
  description:
    'The type of the values. `date` is a day such as 2026-11-24, `datetime` an instant (RFC 3339), `url` an absolute http or https URL, `enum` one of the `options`, `string[]` a list of texts.',
} as const
const options = {
  type: ['array', 'null'],
  minItems: 1,
  maxItems: 256,
  uniqueItems: true,
  items: { type: 'string', minLength: 1, maxLength: 128 },
  description: 'The values of an `enum`, in the order in which a form lists them. Null for the other types.',
} as const
const required = {
  type: 'boolean',
  description: 'Whether every user has a value. Give all users one before you set it.',
} as const
const unique = {
  type: 'boolean',
  description:
    'Whether no two users have the same value. The database enforces it. In a list each text must be unique.',
} as const
const searchable = {
  type: 'boolean',
  description:
    'Whether filters by this attribute use an index, and searches find its values. Of a unique attribute this is always so.',
} as const
const pattern = {
  type: ['string', 'null'],
  minLength: 1,
  maxLength: 512,
  description:
    'A regular expression in the syntax of RE2 that a text must match somewhere; use `^` and `$` for the whole text. For `string`, `url`, `email` and each text of a `string[]`. The larger the pattern, the shorter the texts may be: `.{1,200}` allows 326 characters. Limit a length with `max_length` instead.',
} as const
const minimum = { type: ['number', 'null'], description: 'The least `number`.' } as const
const maximum = { type: ['number', 'null'], description: 'The greatest `number`.' } as const
const maxLength = {
  type: ['integer', 'null'],
  minimum: 1,
  maximum: mostBytes,
  description: 'How many characters a `string`, `url`, `email` or each text of a `string[]` may have.',
} as const
const editableBy = {
  type: 'string',
  enum: editors,
  description:
    '`admin`: callers with `users:write`. `user`: they and the users themselves, with `PATCH /me`. `nobody`: only SCIM, imports and claims of an identity provider write it.',
} as const
const inToken = {
  type: 'boolean',
  description: 'Whether access tokens of users carry it in the claim `attributes`.',
} as const
const inHeader = {
  type: 'boolean',
  description: 'Whether forward-auth and the gateway send your product the value, in the header `Remote-Attributes`.',
} as const

const settings = {
  label,
  type,
  options,
  required,
  unique,
  searchable,
  pattern,
  minimum,
  maximum,
  max_length: maxLength,
  editable_by: editableBy,
  in_token: inToken,
  in_header: inHeader,
} as const

export const attributeSchema = {
  $id: 'Attribute',
  type: 'object',
  description: 'The definition of a custom member of users.',
  additionalProperties: false,
  required: [
    'name',
    'label',
    'type',
    'options',
    'required',
    'unique',
    'searchable',
    'pattern',
    'minimum',
    'maximum',
    'max_length',
    'editable_by',
    'in_token',
    'in_header',
    'created_at',
    'updated_at',
  ],
  properties: { name, ...settings, created_at: instant, updated_at: instant, managed_by: managedByFileMember },
} as const

export type Attribute = FromSchema<typeof attributeSchema>
/** The stored settings of a definition, without its name and times. */
export type Settings = Omit<Attribute, 'name' | 'created_at' | 'updated_at' | 'managed_by'>

export const createAttributeSchema = {
  $id: 'CreateAttribute',
  type: 'object',
  description:
    'Only `name` and `type` are required, and `options` for an `enum`. The label is the name unless you give one, and administrators may edit the values.',
  additionalProperties: false,
  required: ['name', 'type'],
  properties: { name, ...settings },
} as const

export type CreateAttribute = FromSchema<typeof createAttributeSchema>

export const updateAttributeSchema = {
  $id: 'UpdateAttribute',
  type: 'object',
  description: 'A JSON Merge Patch (RFC 7396): omitted members stay unchanged; `null` removes a limit.',
  additionalProperties: false,
  properties: settings,
} as const

export type UpdateAttribute = FromSchema<typeof updateAttributeSchema>

export const deletedAttributeSchema = {
  $id: 'ConfirmationOfAttributeDeletion',
  type: 'object',
  additionalProperties: false,
  required: ['name', 'deleted', 'values_removed'],
  properties: {
    name,
    deleted: { type: 'boolean', description: 'False only in a dry run.' },
    values_removed: {
      type: 'integer',
      minimum: 0,
      description: 'The number of users who lost a value. In a dry run: how many would.',
    },
  },
} as const

const items = { type: 'string' } as const

/** The values of a user. */
export const valuesSchema = {
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean', 'array'], items },
  description: 'The values of the custom attributes that `GET /attributes` defines; one that is not set is missing.',
} as const

/** A change of the values. */
export const valuesPatchSchema = {
  type: 'object',
  maxProperties: mostDefinitions,
  additionalProperties: { type: ['string', 'number', 'boolean', 'array', 'null'], items },
  description:
    'Values of custom attributes, at most 16 KiB in all. Members that you leave out stay unchanged; `null` removes a value.',
} as const

export type AttributeValue = string | number | boolean | string[]
export type AttributeValues = Record<string, AttributeValue>
export type ValuesPatch = Record<string, AttributeValue | null>

// Open objects: later releases may add members. An incompatible form would be named V2.
const { $id: _, ...attributeDefinition } = attributeSchema

const attributeEventSchema = {
  $id: 'AttributeEventV1',
  description:
    '`data` of the events `attribute.*`. The deletion removes the values of users without events of their own.',
  anyOf: [
    { title: 'created, updated', ...attributeDefinition },
    {
      title: 'deleted',
      type: 'object',
      required: ['name', 'values_removed'],
      properties: {
        name: attributeDefinition.properties.name,
        values_removed: { type: 'integer', minimum: 0, description: 'The number of users who lost a value.' },
      },
    },
  ],
} as const

/** What has a name in the OpenAPI document. */
export const schemas = [
  attributeSchema,
  createAttributeSchema,
  updateAttributeSchema,
  deletedAttributeSchema,
  attributeEventSchema,
] as const
