import type { FromSchema } from 'json-schema-to-ts'
import { attributeSchema } from '../../../directory/attributes/schema.ts'
import { updateUserSchema, userSchema } from '../../../directory/users/schema.ts'
import { actSchema } from '../../credentials/sessions/schema.ts'

const { first_name, last_name, email, password, locale, attributes } = updateUserSchema.properties

const groupOfUser = {
  type: 'object',
  additionalProperties: false,
  required: ['group_id', 'name'],
  properties: {
    group_id: { type: 'string', format: 'uuid' },
    name: { type: 'string', examples: ['Support'] },
  },
} as const

const ownDefinition = [
  'name',
  'label',
  'type',
  'options',
  'required',
  'pattern',
  'minimum',
  'maximum',
  'max_length',
  'editable_by',
] as const
const { properties: ofAttribute } = attributeSchema

export const ownAttributeSchema = {
  $id: 'OwnAttribute',
  type: 'object',
  description:
    'The definition of an attribute of the calling user. With `editable_by` `user`, `PATCH /me` changes the value.',
  additionalProperties: false,
  required: ownDefinition,
  properties: {
    name: ofAttribute.name,
    label: ofAttribute.label,
    type: ofAttribute.type,
    options: ofAttribute.options,
    required: ofAttribute.required,
    pattern: ofAttribute.pattern,
    minimum: ofAttribute.minimum,
    maximum: ofAttribute.maximum,
    max_length: ofAttribute.max_length,
    editable_by: ofAttribute.editable_by,
  },
} as const

export type OwnAttribute = FromSchema<typeof ownAttributeSchema>

export const meSchema = {
  $id: 'Me',
  type: 'object',
  description: 'The calling user and their permissions.',
  additionalProperties: false,
  required: [
    ...userSchema.required,
    'permissions',
    'permission_sources',
    'groups',
    'attribute_definitions',
    'must_change_password',
    'must_add_factor',
    'second_factor_from',
  ],
  properties: {
    ...userSchema.properties,
    permissions: {
      type: 'array',
      items: { type: 'string' },
      description:
        'The permissions of the role and of the roles of the groups, as far as the credential has them; `*` means all.',
      examples: [['users:read', 'reports:read']],
    },
    permission_sources: {
      type: 'array',
      description: 'Each permission with where it comes from.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['permission', 'sources'],
        properties: {
          permission: { type: 'string', examples: ['users:read'] },
          sources: {
            type: 'array',
            items: {
              type: 'object',
              additionalProperties: false,
              required: ['role', 'group'],
              properties: {
                role: { type: 'string', description: 'The role that has the permission.', examples: ['support'] },
                group: {
                  ...groupOfUser,
                  type: ['object', 'null'],
                  description: "The group that gives the role; null: it is the user's own role.",
                },
              },
            },
          },
        },
      },
    },
    groups: { type: 'array', items: groupOfUser, description: 'The groups of the user, by name.' },
    attribute_definitions: {
      type: 'array',
      items: { $ref: 'OwnAttribute#' },
      description:
        'The definitions behind `attributes`, by name: those whose value you may change with `PATCH /me`, and those of which you have a value.',
    },
    pending_email: {
      type: 'string',
      description: 'A new address that replaces `email` as soon as the link that was sent to it is used.',
    },
    must_change_password: {
      type: 'boolean',
      description:
        'If true, other operations are refused until `POST /me/password` has set another password. False if a connection refuses your password: then nothing holds you.',
    },
    must_add_factor: {
      type: 'boolean',
      description:
        'If true, other operations are refused until this session has a second factor: add one with `POST /me/factors/totp`, or confirm with one that you have, with `POST /sessions/current/reauthentication`. This comes before the password.',
    },
    second_factor_from: {
      type: ['string', 'null'],
      format: 'date-time',
      description:
        'From then on you need a second factor, and you have none yet. Null: none is required, or there is one. See `GET /me/factors`.',
      examples: ['2027-01-15T00:00:00.000Z'],
    },
    session_id: {
      type: 'string',
      format: 'uuid',
      description: 'The session of this request. Missing: it has a personal key.',
    },
    key_id: {
      type: 'string',
      format: 'uuid',
      description: 'The personal key of this request. Missing: it has a session.',
    },
    org_id: { type: 'string', format: 'uuid', description: 'The organization to which you belong. Missing: none.' },
    org_name: { type: 'string', description: 'The name of that organization.' },
    act: actSchema,
    act_until: {
      type: 'string',
      format: 'date-time',
      description: 'With `act`: when the administrator stops acting as the user at the latest.',
    },
  },
} as const

export type Me = Omit<FromSchema<typeof meSchema>, 'attribute_definitions'> & { attribute_definitions: OwnAttribute[] }

const currentPassword = {
  type: 'string',
  minLength: 1,
  maxLength: 4096,
  description: 'The current password.',
} as const

export const updateMeSchema = {
  $id: 'UpdateMe',
  type: 'object',
  description:
    'A JSON Merge Patch (RFC 7396) with what users may change about themselves. A change of `email` requires `current_password`.',
  additionalProperties: false,
  properties: { first_name, last_name, email, locale, attributes, current_password: currentPassword },
} as const

export type UpdateMe = FromSchema<typeof updateMeSchema>

export const changePasswordSchema = {
  $id: 'ChangeOwnPassword',
  type: 'object',
  additionalProperties: false,
  required: ['current_password', 'new_password'],
  properties: { current_password: currentPassword, new_password: password },
} as const

export type ChangeOwnPassword = FromSchema<typeof changePasswordSchema>

export const changedPasswordSchema = {
  $id: 'ConfirmationOfPassword',
  type: 'object',
  additionalProperties: false,
  required: ['user_id', 'changed', 'revoked'],
  properties: {
    user_id: { type: 'string', format: 'uuid' },
    changed: { type: 'boolean', description: 'False only in a dry run.' },
    revoked: {
      type: 'integer',
      description: 'The number of other sessions ended. In a dry run: the number that would be.',
    },
  },
} as const

export type ChangedPassword = FromSchema<typeof changedPasswordSchema>

export const sentVerificationSchema = {
  $id: 'SentVerification',
  type: 'object',
  additionalProperties: false,
  required: ['email', 'expires_at'],
  properties: {
    email: { type: 'string' },
    expires_at: { type: 'string', format: 'date-time', description: 'Until when the link in the message works.' },
  },
} as const

export type SentVerification = FromSchema<typeof sentVerificationSchema>

/** What has a name in the OpenAPI document. */
export const schemas = [
  ownAttributeSchema,
  meSchema,
  updateMeSchema,
  changePasswordSchema,
  changedPasswordSchema,
  sentVerificationSchema,
] as const
