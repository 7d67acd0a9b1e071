import type { PolicyText } from '../../../core/second-factor.ts'

const count = (description: string) => ({ type: 'integer', minimum: 0, description }) as const

const duty = { type: 'string', enum: ['optional', 'required'] } as const

const policy = {
  description:
    '`optional`, `required`, or an object by role and group, such as `{"admin": "required", "group:Staff": "required"}`, with `*` for the other roles.',
  anyOf: [duty, { type: 'object', maxProperties: 1000, additionalProperties: duty }],
} as const

const from = {
  type: ['string', 'null'],
  format: 'date-time',
  description: 'Until then users can sign in without a second factor. Null: no such time is set.',
} as const

export const testSecondFactorPolicySchema = {
  $id: 'TestSecondFactorPolicy',
  type: 'object',
  additionalProperties: false,
  properties: {
    policy: { ...policy, description: `The value that \`ROLLBOOK_SECOND_FACTOR\` would have: ${policy.description}` },
  },
} as const

export type TestSecondFactorPolicy = { policy?: PolicyText }

export const secondFactorPolicyTestSchema = {
  $id: 'SecondFactorPolicyTest',
  type: 'object',
  description: 'The effect of a policy on the current users. Disabled users are not counted.',
  additionalProperties: false,
  required: [
    'policy',
    'from',
    'users',
    'with_factor',
    'without_factor',
    'required',
    'asked',
    'asked_administrators',
    'cannot_sign_in',
    'unknown',
    'sentence',
  ],
  properties: {
    policy,
    from,
    users: count('Active users.'),
    with_factor: count('Users who have a second factor.'),
    without_factor: count('Users who have none.'),
    required: count('Users for whom the policy requires a second factor.'),
    asked: count('Those of them who have none: they add one at the next sign-in.'),
    asked_administrators: count('Administrators among these.'),
    cannot_sign_in: count(
      'Users without a password among these: they cannot sign in to add one, until they are invited or get a password.',
    ),
    unknown: {
      type: 'array',
      items: { type: 'string' },
      description: 'Names in the policy that match no role or group, perhaps misspelt.',
      examples: [['group:Stuff']],
    },
    sentence: {
      type: 'string',
      description: 'The same in words.',
      examples: ['214 users have no factor, 3 administrators would be asked now, 1 user could not sign in.'],
    },
  },
} as const

export type SecondFactorPolicyTest = {
  policy: PolicyText
  from: string | null
  users: number
  with_factor: number
  without_factor: number
  required: number
  asked: number
  asked_administrators: number
  cannot_sign_in: number
  unknown: string[]
  sentence: string
}

export const userWithoutFactorSchema = {
  $id: 'UserWithoutFactor',
  type: 'object',
  description: 'A user for whom the policy requires a second factor, and who has none.',
  additionalProperties: false,
  required: ['user_id', 'username', 'role', 'administrator', 'has_password', 'last_login_at'],
  properties: {
    user_id: { type: 'string', format: 'uuid' },
    username: { type: 'string' },
    role: { type: 'string' },
    administrator: { type: 'boolean', description: 'Whether the user, or a group of the user, has every permission.' },
    has_password: { type: 'boolean', description: 'False: the user cannot sign in to add a factor.' },
    last_login_at: { type: ['string', 'null'], format: 'date-time' },
  },
} as const

export type UserWithoutFactor = {
  user_id: string
  username: string
  role: string
  administrator: boolean
  has_password: boolean
  last_login_at: string | null
}

export const listWithoutFactorSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 1000, description: 'The maximum number to return. Default: 100.' },
    cursor: { type: 'string', maxLength: 64, description: 'From the `Link` header of the previous page.' },
  },
} as const

export type ListWithoutFactor = { limit?: number; cursor?: string }

/** What has a name in the OpenAPI document. */
export const schemas = [testSecondFactorPolicySchema, secondFactorPolicyTestSchema, userWithoutFactorSchema] as const
