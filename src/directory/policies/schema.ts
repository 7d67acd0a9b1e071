import type { PolicyText } from '../../core/second-factor.ts'

const duty = { type: 'string', enum: ['optional', 'required'] } as const

const secondFactor = {
  description:
    'Who needs a second factor: `optional`, `required`, or an object by role and group, such as `{"admin": "required", "group:Staff": "required"}`, with `*` for the other roles.',
  anyOf: [duty, { type: 'object', maxProperties: 1000, additionalProperties: duty }],
} as const

const manager = {
  type: ['string', 'null'],
  enum: ['settings', 'file', null],
  description:
    '`settings`: `ROLLBOOK_SECOND_FACTOR` is set, wins, and can be changed only there. `file`: a configuration file set it. Null: neither.',
} as const

export const policiesSchema = {
  $id: 'Policies',
  type: 'object',
  description: 'The policies in force.',
  additionalProperties: false,
  required: ['second_factor', 'managed_by', 'updated_at'],
  properties: {
    second_factor: secondFactor,
    managed_by: {
      type: 'object',
      additionalProperties: false,
      required: ['second_factor'],
      properties: { second_factor: manager },
      description: 'What manages each policy.',
    },
    updated_at: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'Null: no policy was ever changed here.',
    },
  },
} as const

export type Policies = {
  second_factor: PolicyText
  managed_by: { second_factor: 'settings' | 'file' | null }
  updated_at: string | null
}

export const updatePoliciesSchema = {
  $id: 'UpdatePolicies',
  type: 'object',
  description: 'Omitted members stay unchanged; each policy is replaced as a whole. `null` is the default, `optional`.',
  additionalProperties: false,
  properties: { second_factor: { ...secondFactor, anyOf: [...secondFactor.anyOf, { type: 'null' }] } },
} as const

export type UpdatePolicies = { second_factor?: PolicyText | null }

/** What has a name in the OpenAPI document. */
export const schemas = [policiesSchema, updatePoliciesSchema] as const
