import type { FromSchema } from 'json-schema-to-ts'
import { languageTag, languageTagLength } from '../../lib/language-tags.ts'
import { erased } from '../../record/events/schema.ts'
import { nameForm, valuesPatchSchema, valuesSchema } from '../attributes/schema.ts'

/** An instant as RFC 3339 in UTC with milliseconds. */
const instant = { type: 'string', format: 'date-time', examples: ['2026-11-20T09:30:00.000Z'] } as const
const nullableInstant = { type: ['string', 'null'], format: 'date-time' } as const

const username = {
  type: 'string',
  minLength: 1,
  maxLength: 128,
  description:
    'Unique, compared case-insensitively after Unicode normalization (PRECIS UsernameCaseMapped, RFC 8265); shown as entered. Spaces are not allowed.',
} as const
const email = {
  type: 'string',
  minLength: 3,
  maxLength: 254,
  description: 'Unique, compared case-insensitively. A domain in Unicode and its ASCII form (`xn--…`) are the same.',
} as const
const externalId = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description: "The client's own id for the user. Unique, compared exactly.",
} as const
const firstName = { type: 'string', maxLength: 256 } as const
const lastName = { type: 'string', maxLength: 256 } as const
const locale = {
  type: 'string',
  pattern: languageTag.source,
  maxLength: languageTagLength,
  description:
    'The language of messages to the user: a tag (RFC 5646) of a language, a script and a region, such as `de`, `pt-BR` or `zh-Hant-TW`.',
} as const
const role = {
  type: 'string',
  maxLength: 64,
  description:
    'One of the configured roles. Built in are `admin` (all permissions) and `user` (no permissions of this API).',
} as const
const kind = {
  type: 'string',
  enum: ['person', 'service'],
  description:
    '`service`: a service account, a user who is a program. It has no password and cannot sign in; it acts with keys (`POST /users/{user_id}/keys`). Default: `person`. It cannot be changed afterwards.',
} as const
const expiresAt = {
  type: 'string',
  format: 'date-time',
  description:
    'The end date (RFC 3339): from this instant on the user is refused everywhere, as if disabled. One in the past ends the access at once.',
} as const
const organizationId = {
  type: 'string',
  maxLength: 64,
  description:
    'The organization to which the user belongs: its `organization_id`. With another one the user moves: sessions end, and memberships of groups and identities of connections of the former organization are removed.',
} as const
const password = {
  type: 'string',
  maxLength: 4096, // Normalization takes time; what is longer has more than 1,024 bytes in any form.
  description:
    'At least 15 characters and at most 1,024 bytes in UTF-8, after normalization to NFC. All characters count, including spaces. Common passwords, and passwords made of the username or email, are refused.',
} as const

export const userSchema = {
  $id: 'User',
  type: 'object',
  description: 'A user of the product’s web UI.',
  additionalProperties: false,
  required: [
    'user_id',
    'username',
    'email',
    'external_id',
    'first_name',
    'last_name',
    'role',
    'active',
    'has_password',
    'last_login_at',
    'created_at',
    'updated_at',
    'attributes',
  ],
  properties: {
    user_id: { type: 'string', format: 'uuid', description: 'A UUIDv7 made by the server, never reused.' },
    username: { ...username, examples: ['ada.lovelace'] },
    email: { type: ['string', 'null'], examples: ['ada@example.com'] },
    external_id: { type: ['string', 'null'], examples: ['hr-1815'] },
    first_name: { type: 'string', examples: ['Ada'] },
    last_name: { type: 'string', examples: ['Lovelace'] },
    role: { ...role, examples: ['user'] },
    active: { type: 'boolean', description: 'If false, the user cannot sign in and is refused everywhere at once.' },
    has_password: {
      type: 'boolean',
      description: 'Whether the user has a password. Without one, the user cannot sign in.',
    },
    last_login_at: nullableInstant,
    created_at: instant,
    updated_at: instant,
    managed_by: {
      type: 'string',
      format: 'uuid',
      description:
        'The provisioning connection whose identity provider manages the user (`GET /provisioning`). Missing: none does.',
    },
    email_verified: {
      type: 'boolean',
      description: 'Whether the user has shown that the address is theirs. Missing: not yet.',
    },
    invited: {
      type: 'boolean',
      description: 'Whether the user was invited and has not set a password yet. Missing: no.',
    },
    locale: { ...locale, examples: ['de'] },
    kind: {
      type: 'string',
      enum: ['service'],
      description: '`service`: a service account, which cannot sign in and acts with keys. Missing: a person.',
    },
    expires_at: {
      type: 'string',
      format: 'date-time',
      description:
        'The end date: from this instant on the user is refused everywhere, as if disabled, while `active` stays true. Missing: the access does not end.',
    },
    organization_id: {
      type: 'string',
      format: 'uuid',
      description: 'The organization to which the user belongs. Missing: none.',
    },
    // The last member: a statement can replace it.
    attributes: { ...valuesSchema, examples: [{ department: 'Sales' }] },
  },
} as const

export type User = FromSchema<typeof userSchema>

/**
 * The members of a row in a table, in order: those of every user, and the optional ones that an import takes.
 * Without the kind, an import of the row would make a person of a service account.
 */
export const rowMembers = [...userSchema.required, 'locale', 'kind'] as const

/** A row of a list: a user, with what the caller asked for in addition. */
export const listedUserSchema = {
  ...userSchema,
  $id: 'ListedUser',
  description: 'A user in a list.',
  properties: {
    ...userSchema.properties,
    groups: {
      type: 'array',
      items: { type: 'string' },
      description: 'With `include=groups`: the names of the user’s groups. In CSV they are one cell, separated by `;`.',
    },
    effective_roles: {
      type: 'array',
      items: { type: 'string' },
      description:
        'With `include=groups`: the user’s own role, then the roles that only groups give. In CSV they are one cell, separated by `;`. An import ignores it.',
    },
    membership_expires_at: {
      type: 'string',
      format: 'date-time',
      description:
        'Among the members of a group: when the membership ends. Missing: it does not end. CSV has the column if there is such a member.',
    },
  },
} as const

export type ListedUser = FromSchema<typeof listedUserSchema>

export const updatedUserSchema = {
  ...userSchema,
  $id: 'UpdatedUser',
  description: 'A user after a change.',
  properties: {
    ...userSchema.properties,
    move: {
      type: 'object',
      description:
        'If the user has moved to another organization, or left one: what was removed; in a dry run what would be.',
      additionalProperties: false,
      required: ['sessions', 'groups', 'identities'],
      properties: {
        sessions: { type: 'integer', minimum: 0, description: 'How many sessions ended.' },
        groups: {
          type: 'array',
          description: 'The groups of the former organization, of which the user is no member any more.',
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['group_id', 'name'],
            properties: { group_id: { type: 'string', format: 'uuid' }, name: { type: 'string' } },
          },
        },
        identities: {
          type: 'array',
          description: 'The removed identities of connections of the former organization.',
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['identity_id', 'connection_id', 'connection_name'],
            properties: {
              identity_id: { type: 'string', format: 'uuid' },
              connection_id: { type: 'string', format: 'uuid' },
              connection_name: { type: 'string' },
            },
          },
        },
      },
    },
  },
} as const

export const createdUserSchema = {
  ...userSchema,
  $id: 'CreatedUser',
  description: 'A new user.',
  properties: {
    ...userSchema.properties,
    invitation: {
      type: 'object',
      description: 'With `invite`.',
      additionalProperties: false,
      required: ['expires_at', 'sent'],
      properties: {
        expires_at: { type: 'string', format: 'date-time', description: 'Until when the link works.' },
        sent: { type: 'boolean', description: 'Whether a message with the link is on its way.' },
        url: {
          type: 'string',
          description:
            'The link, to hand over, if no message is sent. Its holder can set the password. It is never returned again.',
        },
      },
    },
  },
} as const

export type CreatedUser = FromSchema<typeof createdUserSchema>

export const createUserSchema = {
  $id: 'CreateUser',
  type: 'object',
  description:
    'All values are strings, except those of custom attributes; only `username` is required. Unknown members are refused.',
  additionalProperties: false,
  required: ['username'],
  properties: {
    username,
    password,
    email,
    first_name: firstName,
    last_name: lastName,
    role,
    external_id: externalId,
    locale,
    kind,
    expires_at: expiresAt,
    organization_id: { ...organizationId, description: 'The organization to which the user belongs.' },
    invite: {
      type: 'string',
      enum: ['true', 'false'],
      description:
        '`true`: invites the user, as `POST /users/{user_id}/invitation` does. Not together with `password`.',
    },
    attributes: valuesPatchSchema,
  },
} as const

export type CreateUser = FromSchema<typeof createUserSchema>

export const updateUserSchema = {
  $id: 'UpdateUser',
  type: 'object',
  description:
    'A JSON Merge Patch (RFC 7396): omitted members stay unchanged; `null` clears `email`, `external_id`, `locale`, `expires_at`, `organization_id` or a custom attribute.',
  additionalProperties: false,
  properties: {
    username,
    password,
    email: { ...email, type: ['string', 'null'] },
    first_name: firstName,
    last_name: lastName,
    role,
    external_id: { ...externalId, type: ['string', 'null'] },
    locale: { ...locale, type: ['string', 'null'] },
    kind: { ...kind, description: 'What the user is already: the kind cannot be changed.' },
    active: { type: 'boolean' },
    expires_at: { ...expiresAt, type: ['string', 'null'] },
    organization_id: { ...organizationId, type: ['string', 'null'] },
    attributes: valuesPatchSchema,
  },
} as const

export type UpdateUser = FromSchema<typeof updateUserSchema>

export const deletionSchema = {
  $id: 'ConfirmationOfDeletion',
  type: 'object',
  additionalProperties: false,
  required: ['user_id', 'deleted', 'restorable_until'],
  properties: {
    user_id: { type: 'string', format: 'uuid' },
    deleted: { type: 'boolean', description: 'False only in a dry run.' },
    restorable_until: {
      ...nullableInstant,
      description:
        'Until then `POST /users/{user_id}/restore` can restore the user. Null: the user cannot be restored.',
    },
  },
} as const

export const sorts = ['username', 'email', 'created_at', 'last_login_at'] as const

export const queryInstant = (what: string) =>
  ({ type: 'string', format: 'date-time', description: `Only users ${what} this instant (RFC 3339).` }) as const

/** Part of the description of each `q`. */
export const shortWords =
  'If no word has three characters, each must begin a word, and one of them the username, email, first or last name, or an attribute.'

const attributeFilter = `^attributes\\.${nameForm}$`
/** `attributes.department=Sales`; whether the attribute is defined is known when the list is planned. */
export const attributeFilters = { [attributeFilter]: { type: 'string', maxLength: 4096 } } as const

/** The same in JSON, where numbers and booleans may stand as such. */
export const attributeFiltersInJson = {
  [attributeFilter]: { type: ['string', 'number', 'boolean'], maxLength: 4096 },
} as const

export const listUsersSchema = {
  type: 'object',
  additionalProperties: false,
  dependentRequired: { offset: ['limit'] },
  patternProperties: attributeFilters,
  properties: {
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      description:
        'The maximum number of users to return, with a `Link` to the next page. Without it, all users are returned.',
    },
    cursor: {
      type: 'string',
      maxLength: 16_384, // The longest e-mail address has 8 KB once its compatibility forms are spelt out.
      description: 'Where the page starts: from the `Link` header of the previous page.',
    },
    offset: {
      type: 'integer',
      minimum: 0,
      maximum: 2_147_483_647,
      description:
        'With `limit`: how many users to skip, from the beginning or from the `cursor`. To read all users, follow the `Link` instead.',
    },
    sort: {
      type: 'string',
      enum: sorts.flatMap((sort) => [sort, `-${sort}`] as const),
      description:
        'Order of the rows, `-` for descending; users without a value count as the smallest. Default: `user_id`.',
    },
    q: {
      type: 'string',
      minLength: 1,
      maxLength: 256,
      description: `Users whose username, email, name or searchable attributes contain every word of this text, in any order, ignoring case, accents and commas. At most 16 different words. ${shortWords} A user with exactly this \`user_id\`, \`external_id\` or value of a unique attribute comes first, whatever the order, and so does one whose \`user_id\` begins with the text (8 or more characters).`,
    },
    role: { type: 'string', maxLength: 64 },
    group: {
      type: 'string',
      maxLength: 64,
      description: 'Only members of the group with this `group_id`. Needs the permission `groups:read`.',
    },
    organization: {
      type: 'string',
      maxLength: 64,
      description: 'Only users who belong to the organization with this `organization_id`; `none`: who belong to none.',
    },
    managed_by: {
      type: 'string',
      maxLength: 64,
      description: 'Only users whom this provisioning connection manages: its `connection_id`.',
    },
    active: { type: 'boolean' },
    state: {
      type: 'string',
      enum: ['active', 'disabled', 'expired'],
      description:
        '`active`: users who may use their access now. `disabled`: `active` is false. `expired`: the end date has passed, and `active` is true.',
    },
    kind: { type: 'string', enum: kind.enum, description: 'Only service accounts, or only people.' },
    has_password: { type: 'boolean', description: 'Only users who have a password, or who have none.' },
    invited: {
      type: 'boolean',
      description:
        'Only users who were invited and have not set a password yet, whether the link still works or not; or only the others.',
    },
    locked: {
      type: 'boolean',
      description:
        'Only users whose sign-in must wait now because of wrong passwords, everywhere or in some networks or browsers; or only the others. `GET /users/{user_id}/sign-in` says why.',
    },
    has_signed_in: { type: 'boolean', description: 'Only users who have signed in at least once, or who never have.' },
    created_after: queryInstant('created after'),
    created_before: queryInstant('created before'),
    last_login_after: queryInstant('who last signed in after'),
    last_login_before: queryInstant('who last signed in before'),
    expires_after: queryInstant('whose end date is after'),
    expires_before: queryInstant('whose end date is before'),
    inactive_since: {
      type: 'string',
      format: 'date-time',
      description:
        'Only users who last signed in before this instant (RFC 3339), or who never have and were created before it.',
    },
    user_id: {
      type: 'array',
      maxItems: 500,
      items: { type: 'string', maxLength: 64 },
      description: 'Only these users; repeat the parameter, up to 500 times.',
    },
    username: { type: 'string', maxLength: 512, description: 'The user with exactly this username, ignoring case.' },
    email: {
      type: 'string',
      maxLength: 512,
      description: 'The user with exactly this email address, ignoring case.',
    },
    external_id: { type: 'string', maxLength: 512, description: 'The user with exactly this external id.' },
    include: {
      type: 'string',
      enum: ['groups'],
      description:
        '`groups`: adds the names of the groups of each user, and the roles that they have by themselves or by a group. Needs the permission `groups:read`.',
    },
    count: {
      anyOf: [{ type: 'boolean' }, { const: 'estimate' }],
      description:
        'Adds `Total-Count`: how many users match on all pages together. With a `limit`, `estimate` returns an approximate number immediately, with `Total-Count-Estimated: true` if the users were not counted.',
    },
  },
} as const

export type ListUsers = FromSchema<typeof listUsersSchema>

export const closestUsersSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['q'],
  properties: {
    q: { type: 'string', minLength: 1, maxLength: 256, description: 'The name, username or email as it was typed.' },
  },
} as const

export type ClosestUsers = FromSchema<typeof closestUsersSchema>

const paging = ['limit', 'cursor', 'offset', 'sort', 'count', 'include'] as const

/** The parameters of the list that say who is meant, and not how they are shown. */
export const filters = Object.fromEntries(
  Object.entries(listUsersSchema.properties).filter(([name]) => !(paging as readonly string[]).includes(name)),
) as Omit<typeof listUsersSchema.properties, (typeof paging)[number]>

/** A parameter of changes of users whom an identity provider may manage. */
export const overrideParameter = {
  override: {
    type: 'boolean',
    description:
      'Also change what a provisioning connection manages (`managed_elsewhere`). Its next synchronization may undo it.',
  },
} as const

export const setPasswordSchema = {
  $id: 'SetPassword',
  type: 'object',
  additionalProperties: false,
  required: ['password'],
  properties: {
    password: createUserSchema.properties.password,
    must_change: {
      type: 'boolean',
      description: 'Whether the user must choose another password before they can do anything else. Default: false.',
    },
  },
} as const

export type SetPassword = FromSchema<typeof setPasswordSchema>

// Open objects: later releases may add members. An incompatible form would be named V2.
const user_id = { type: 'string', format: 'uuid' } as const

const userEventSchema = {
  $id: 'UserEventV1',
  description: '`data` of the events `user.*`.',
  anyOf: [
    {
      title: 'created, updated, signed_in, restored, expired',
      description: 'The user after the change.',
      type: 'object',
      required: userSchema.required,
      properties: userSchema.properties,
    },
    {
      title: 'deleted',
      type: 'object',
      required: ['user_id', 'restorable_until'],
      properties: {
        user_id,
        restorable_until: {
          type: ['string', 'null'],
          format: 'date-time',
          description: 'Until then the deletion can be undone. Null: it cannot be undone.',
        },
      },
    },
    {
      title: 'erased',
      description: 'Receivers that store data of this user must erase it too.',
      type: 'object',
      required: ['user_id'],
      properties: { user_id, erased },
    },
  ],
} as const

/** What has a name in the OpenAPI document. */
export const schemas = [
  userSchema,
  createdUserSchema,
  updatedUserSchema,
  listedUserSchema,
  createUserSchema,
  updateUserSchema,
  deletionSchema,
  setPasswordSchema,
  userEventSchema,
] as const
