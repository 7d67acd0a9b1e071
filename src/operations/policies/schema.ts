import type { InactivityRule } from '../../core/inactivity.ts'
import type { PolicyText } from '../../core/second-factor.ts'

const duty = { type: 'string', enum: ['optional', 'required'] } as const

const secondFactor = {
  description:
    'Who needs a second factor: `optional`, `required`, or an object by role and group, such as `{"admin": "required", "group:Staff": "required"}`, with `*` for the other roles.',
  anyOf: [duty, { type: 'object', maxProperties: 1000, additionalProperties: duty }],
} as const

const limit = {
  type: 'object',
  additionalProperties: false,
  required: ['days', 'notice_days'],
  properties: {
    days: {
      type: 'integer',
      minimum: 2,
      maximum: 3650,
      description: 'Without use for so many days, the user is disabled.',
    },
    notice_days: {
      type: 'integer',
      minimum: 1,
      maximum: 365,
      description: 'So many days before, the user is told. Fewer than `days`.',
    },
  },
} as const

export const inactivitySchema = {
  description:
    'Who is disabled after a time without sign-in or use of a key or token: limits by `*`, role, `group:<name>`, `kind:service` (service accounts, who have no other limit) and `managed` (users whom an identity provider manages, who have no other limit either). The fewest days win. Null: no user.',
  anyOf: [{ type: 'object', minProperties: 1, maxProperties: 1000, additionalProperties: limit }, { type: 'null' }],
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
  required: ['second_factor', 'inactivity', 'managed_by', 'updated_at'],
  properties: {
    second_factor: secondFactor,
    inactivity: inactivitySchema,
    managed_by: {
      type: 'object',
      additionalProperties: false,
      required: ['second_factor', 'inactivity'],
      properties: {
        second_factor: manager,
        inactivity: {
          ...manager,
          enum: ['file', null],
          description: '`file`: a configuration file set it. Null: it did not.',
        },
      },
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
  inactivity: InactivityRule | null
  managed_by: { second_factor: 'settings' | 'file' | null; inactivity: 'file' | null }
  updated_at: string | null
}

export const updatePoliciesSchema = {
  $id: 'UpdatePolicies',
  type: 'object',
  description:
    'Omitted members stay unchanged; each policy is replaced as a whole. `null` is the default: `optional`, and no inactivity rule.',
  additionalProperties: false,
  properties: {
    second_factor: { ...secondFactor, anyOf: [...secondFactor.anyOf, { type: 'null' }] },
    inactivity: inactivitySchema,
  },
} as const

export type UpdatePolicies = { second_factor?: PolicyText | null; inactivity?: InactivityRule | null }

/** What has a name in the OpenAPI document. */
export const schemas = [policiesSchema, updatePoliciesSchema] as const
