import type { FromSchema } from 'json-schema-to-ts'
import { erased } from '../../../record/events/schema.ts'
import { managedByFileMember } from '../../../store/managed-by-file.ts'
import { noteCodes } from './claim-notes.ts'
import {
  kindAddresses,
  kindFacts,
  kindInputs,
  kindMembers,
  kindNames,
  kindSecretFlags,
  kindSecrets,
  presetNames,
} from './kinds/kinds.ts'

const instant = { type: 'string', format: 'date-time', examples: ['2026-11-20T09:30:00.000Z'] } as const

const domains = {
  type: 'array',
  maxItems: 100,
  uniqueItems: true,
  items: { type: 'string', minLength: 1, maxLength: 253 },
} as const

const members = {
  preset: {
    type: 'string',
    enum: presetNames,
    description:
      'The product of the provider: `google` and `gitlab` have a known issuer; `entra` states in `xms_edov` whether an address is verified. Default: the first of the kind, such as `generic`.',
    examples: ['okta'],
  },
  name: {
    type: 'string',
    minLength: 1,
    maxLength: 128,
    description: 'Unique, compared as names of groups are. The button on the sign-in page shows it.',
    examples: ['Example Inc.'],
  },
  active: { type: 'boolean', description: 'False: sign-ins through it are refused, and its sessions have ended.' },
  position: {
    type: 'integer',
    minimum: 0,
    maximum: 1000,
    description: 'The order of the buttons on the sign-in page, smallest first.',
  },
  domains: {
    ...domains,
    description:
      'Domains whose users sign in here: the sign-in page asks for the username or email first and sends them to this connection. Subdomains do not count. No two connections have the same domain.',
    examples: [['example.com']],
  },
  passwords: {
    type: 'string',
    enum: ['allowed', 'refused_for_domains', 'refused_for_all'],
    description:
      'Whether users may still sign in with a password while the connection is active. `refused_for_domains`: users whose email address or username is in `domains` may not. `refused_for_all`: no user may. Users in `password_exceptions` always may. At least one active administrator must be able to use a password.',
    examples: ['allowed'],
  },
  password_exceptions: {
    type: 'array',
    maxItems: 100,
    uniqueItems: true,
    items: { type: 'string', format: 'uuid' },
    description:
      'The ids of users who may use a password although this connection refuses it, for the day when the company cannot be reached (break-glass).',
    examples: [[]],
  },
  trusted_domains: {
    ...domains,
    description:
      'Domains for whose addresses the provider is trusted: a verified address in one of them signs in the existing user with the same, verified address. Subdomains do not count. Empty: users link the connection themselves.',
    examples: [['example.com']],
  },
  provisioning_domains: {
    ...domains,
    description:
      'Domains for whose verified addresses a user is created at the first sign-in. Empty: no users are created.',
    examples: [['example.com']],
  },
  default_role: {
    type: 'string',
    maxLength: 128,
    description: 'The role of users who are created, unless `roles` gives another. Cannot be an administering role.',
    examples: ['user'],
  },
  role_claim: {
    type: ['string', 'null'],
    minLength: 1,
    maxLength: 256,
    description:
      'The claim whose value, or one of whose values, `roles` translates into a role. A path such as `realm_access.roles` reaches into objects; of an object, the keys count. Numbers and booleans count as texts, and distinguished names are compared by their parts.',
    examples: ['groups'],
  },
  roles: {
    type: 'object',
    maxProperties: 100,
    additionalProperties: { type: 'string', maxLength: 128 },
    description:
      'Roles by values of `role_claim`; the first that matches counts. The only way to become an administrator through a connection.',
    examples: [{ 'rollbook-admins': 'admin' }],
  },
  role_sync: {
    type: 'string',
    enum: ['creation', 'sign_in'],
    description:
      'When the role is set: when the user is created, or at every sign-in. At a sign-in without a match the user gets `default_role`. A claim that did not arrive whole is not a claim without a match: see `missing_claims`.',
  },
  group_claim: {
    type: ['string', 'null'],
    minLength: 1,
    maxLength: 256,
    description: 'The claim whose values `groups` translates into groups, read as `role_claim` is.',
    examples: ['groups'],
  },
  groups: {
    type: 'object',
    maxProperties: 100,
    additionalProperties: { type: 'string', format: 'uuid' },
    description:
      'Ids of groups by values of `group_claim`. Groups with an administering role are refused: only `roles` names administrators. Groups that are not named here are left alone.',
    examples: [{ sales: '019a9f3e-0000-7000-8000-000000000000' }],
  },
  group_sync: {
    type: 'string',
    enum: ['creation', 'sign_in'],
    description: 'When users join and leave these groups: when the user is created, or at every sign-in.',
  },
  attribute_claims: {
    type: 'object',
    maxProperties: 64,
    additionalProperties: { type: 'string', minLength: 1, maxLength: 256 },
    description:
      'Claims by the names of attributes. If a claim is missing, the attribute stays as it is; if the attribute does not accept the value, the sign-in fails.',
    examples: [{ department: 'department' }],
  },
  attribute_sync: {
    type: 'string',
    enum: ['creation', 'sign_in'],
    description:
      'When attributes are written: when the user is created, or at every sign-in. Attributes that SCIM manages are not changed.',
  },
  expires_at_claim: {
    type: ['string', 'null'],
    minLength: 1,
    maxLength: 256,
    description:
      'The claim with the end date of the user (`expires_at`): a date and time (RFC 3339), a date (the end of that day in UTC), or seconds since 1970 as a number; of a directory also generalized time or `accountExpires` of Active Directory, whose 0 and 9223372036854775807 mean never. A claim with anything else changes nothing, and the failures of the connection say so. A date that has passed refuses the sign-in.',
    examples: ['contract_end'],
  },
  expires_at_sync: {
    type: 'string',
    enum: ['creation', 'sign_in'],
    description:
      'When the end date is set: when the user is created, or at every sign-in, also to a later date. A user whose access has ended cannot sign in, so no claim brings them back. End dates of users whom SCIM manages are not changed.',
  },
  missing_claims: {
    type: 'string',
    enum: ['keep', 'none'],
    description:
      'What a missing `role_claim`, `group_claim` or `expires_at_claim` means at a sign-in. `keep`: nothing, so the role, the groups and the end date stay as they are, and the failures of the connection report a missing claim with roles or groups. `none`: the user has no values; choose it if the provider leaves out the claims of such users, as Okta does. A claim that the provider left out because there is too much of it, or that has an unexpected form, always changes nothing.',
  },
  second_factor: {
    type: 'string',
    enum: ['own', 'provider'],
    description:
      '`own`: users with a second factor are asked for it here. `provider`: not if the provider says that it asked for one, with `mfa` in `amr` or one of `acr_values` as `acr`.',
  },
  acr_values: {
    type: 'array',
    maxItems: 20,
    uniqueItems: true,
    items: { type: 'string', minLength: 1, maxLength: 256 },
    description:
      'Values of `acr` (SAML: the authentication context) that stand for a second factor, if `second_factor` is `provider`.',
  },
} as const

const properties = {
  connection_id: { type: 'string', format: 'uuid', description: 'A UUIDv7 made by the server, never reused.' },
  kind: { type: 'string', enum: kindNames, description: 'The protocol. It decides which further members there are.' },
  ...members,
  ...kindMembers,
  ...kindSecretFlags,
  ...kindFacts,
  ...kindAddresses,
  identity_count: { type: 'integer', minimum: 0, description: 'The number of users who have linked the connection.' },
  last_failed_at: {
    type: ['string', 'null'],
    format: 'date-time',
    description:
      'When a sign-in failed last, if it was in the last 14 days. The failures are at `GET /connections/{connection_id}/failures`.',
  },
  created_at: instant,
  updated_at: instant,
  organization_id: {
    type: 'string',
    format: 'uuid',
    description: 'The organization that the connection belongs to. Missing: none.',
  },
  managed_by: managedByFileMember,
} as const

const organization = {
  type: ['string', 'null'],
  maxLength: 64,
  description:
    'The organization whose users sign in here: they are created there, and users from elsewhere are refused. Null: none, and users of every organization may sign in.',
} as const

export const signInConnectionSchema = {
  $id: 'SignInConnection',
  type: 'object',
  description: 'A company, or another identity provider, through which users sign in.',
  additionalProperties: false,
  required: [
    'connection_id',
    'kind',
    'preset',
    'name',
    'active',
    'position',
    'domains',
    'passwords',
    'password_exceptions',
    'trusted_domains',
    'provisioning_domains',
    'default_role',
    'role_claim',
    'roles',
    'role_sync',
    'group_claim',
    'groups',
    'group_sync',
    'attribute_claims',
    'attribute_sync',
    'expires_at_claim',
    'expires_at_sync',
    'missing_claims',
    'second_factor',
    'acr_values',
    'identity_count',
    'last_failed_at',
    'created_at',
    'updated_at',
  ],
  properties,
} as const

export type SignInConnection = FromSchema<typeof signInConnectionSchema>

export const createSignInConnectionSchema = {
  $id: 'CreateSignInConnection',
  type: 'object',
  description:
    'Omitted members get the value that lets the fewest people in. Members of another kind are refused. With `active: false`, a connection to which the browser is sent may lack what the provider gives (`issuer`, `client_id`, `entity_id`, `sso_url`, `certificates`) until it is activated.',
  additionalProperties: false,
  required: ['kind', 'name'],
  properties: {
    kind: properties.kind,
    ...members,
    ...kindMembers,
    ...kindInputs,
    ...kindSecrets,
    organization_id: organization,
  },
} as const

export type CreateSignInConnection = FromSchema<typeof createSignInConnectionSchema>

export const updateSignInConnectionSchema = {
  $id: 'UpdateSignInConnection',
  type: 'object',
  description: 'A JSON Merge Patch (RFC 7396): omitted members stay unchanged. Lists and `roles` are replaced whole.',
  additionalProperties: false,
  properties: {
    ...members,
    ...kindMembers,
    ...kindInputs,
    ...kindSecrets,
    organization_id: {
      ...organization,
      description: `${organization.description} Another one ends the sessions of the connection.`,
    },
    keep_identities: {
      type: 'boolean',
      description:
        'True: you confirm that the subjects are the same people as before, although what identifies the provider changes. Identities and sessions stay, which is recorded. Needed to add the next certificate of a SAML provider.',
    },
  },
} as const

export type UpdateSignInConnection = FromSchema<typeof updateSignInConnectionSchema>

export const deletedSignInConnectionSchema = {
  $id: 'ConfirmationOfSignInConnectionDeletion',
  type: 'object',
  additionalProperties: false,
  required: ['connection_id', 'deleted', 'unlinked', 'sessions_ended'],
  properties: {
    connection_id: properties.connection_id,
    deleted: { type: 'boolean', description: 'False only in a dry run.' },
    unlinked: { type: 'integer', minimum: 0, description: 'The number of identities removed.' },
    sessions_ended: { type: 'integer', minimum: 0, description: 'The number of sessions through it that ended.' },
  },
} as const

export const signInClaimSchema = {
  $id: 'SignInClaim',
  type: 'object',
  description: 'A claim that arrived, or is missing, and what it means for the sign-in.',
  additionalProperties: false,
  required: ['claim', 'value', 'note', 'notes'],
  properties: {
    claim: { type: 'string', examples: ['email_verified'] },
    value: { type: ['string', 'null'], description: 'As JSON, at most 200 characters. Null: missing.' },
    note: { type: 'string', description: 'The consequences for the sign-in, in English.' },
    notes: {
      type: 'array',
      description:
        'The same as codes, to show in another language. Codes are never renamed; new ones may be added. Empty for a failure that an earlier release kept.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['code'],
        properties: {
          code: { type: 'string', enum: noteCodes, examples: ['role_mapped'] },
          name: { type: 'string', description: 'The domain, role, attribute or end date that the note is about.' },
          count: { type: 'integer', minimum: 0, description: 'The number of groups that the user joins.' },
          total: { type: 'integer', minimum: 0, description: 'The number of groups of the mapping.' },
        },
      },
    },
  },
} as const

export type SignInClaim = FromSchema<typeof signInClaimSchema>

const trialOutcomes = ['signs_in', 'links', 'creates', 'refused', 'reachable'] as const

export const signInFailureSchema = {
  $id: 'SignInFailure',
  type: 'object',
  description:
    'A sign-in through a connection that failed, a test sign-in (`reason` is `test`), or a sign-in that succeeded and left something as it was (`claims_incomplete`, `address_kept`).',
  additionalProperties: false,
  required: ['failure_id', 'failed_at', 'request_id', 'reason', 'detail', 'claims', 'test_outcome', 'test_reason'],
  properties: {
    failure_id: { type: 'string', format: 'uuid' },
    failed_at: instant,
    request_id: { type: 'string', description: 'The number that the page showed to the user.' },
    reason: {
      type: 'string',
      description: '`test`: a test sign-in of an administrator; `test_outcome` says how it would have ended.',
      examples: ['email_unverified'],
    },
    detail: { type: 'string', description: 'The cause, and what to change, in English.' },
    claims: {
      type: 'array',
      items: { $ref: 'SignInClaim#' },
      description: 'The claims that arrived, if they could be verified.',
    },
    test_outcome: {
      anyOf: [{ type: 'string', enum: trialOutcomes }, { type: 'null' }],
      description: 'How the test sign-in would have ended. Null: it was none, or an earlier release kept it.',
    },
    test_reason: { type: ['string', 'null'], description: 'Why the test sign-in would have been refused.' },
  },
} as const

export type SignInFailure = FromSchema<typeof signInFailureSchema, { references: [typeof signInClaimSchema] }>

export const testSignInConnectionSchema = {
  $id: 'TestSignInConnection',
  type: 'object',
  additionalProperties: false,
  description:
    'Either `claims`, or for a directory `username`. With neither, only whether the directory can be reached and searched is checked.',
  properties: {
    claims: {
      type: 'object',
      additionalProperties: true,
      maxProperties: 200,
      description:
        'The data the provider would send: the claims of an ID token, the attributes of an assertion or of an entry.',
    },
    username: {
      type: 'string',
      minLength: 1,
      maxLength: 320,
      description: 'LDAP: reads the entry of this username as `bind_dn`, and tries its claims. Without a password.',
    },
  },
} as const

export type TestSignInConnection = FromSchema<typeof testSignInConnectionSchema>

export const signInTrialSchema = {
  $id: 'SignInTrial',
  type: 'object',
  description: 'What a sign-in with these claims would do.',
  additionalProperties: false,
  required: ['outcome', 'detail', 'claims'],
  properties: {
    outcome: {
      type: 'string',
      enum: trialOutcomes,
      description:
        'The user who has this identity signs in; the identity is linked to an existing user, who signs in; a user is created; or the sign-in is refused. `reachable`: the directory can be searched, and no user was asked for.',
    },
    reason: { type: 'string', description: 'Why it is refused.', examples: ['email_unverified'] },
    detail: { type: 'string', description: 'The outcome or the reason, in English.' },
    found: { type: 'string', description: 'LDAP: which server responded, and which entry it has, in English.' },
    user_id: { type: 'string', format: 'uuid', description: 'The existing user.' },
    user: {
      type: 'object',
      description: 'The user who would be created.',
      additionalProperties: false,
      required: ['username', 'email', 'first_name', 'last_name', 'role'],
      properties: {
        username: { type: 'string' },
        email: { type: 'string' },
        first_name: { type: 'string' },
        last_name: { type: 'string' },
        role: { type: 'string' },
      },
    },
    mapped: {
      type: 'object',
      description: 'The result of the mapping. It is applied if `…_sync` says so.',
      additionalProperties: false,
      required: ['role', 'groups', 'attributes'],
      properties: {
        role: { type: 'string' },
        groups: { type: 'array', items: { type: 'string', format: 'uuid' } },
        attributes: { type: 'object', additionalProperties: true },
        expires_at: {
          type: ['string', 'null'],
          format: 'date-time',
          description:
            'The end date that the claim names. Null: the access does not end. Missing: the claims say nothing.',
        },
      },
    },
    claims: { type: 'array', items: { $ref: 'SignInClaim#' } },
  },
} as const

export type SignInTrial = FromSchema<typeof signInTrialSchema, { references: [typeof signInClaimSchema] }>

export const identitySchema = {
  $id: 'Identity',
  type: 'object',
  description: 'An account of an identity provider with which a user signs in.',
  additionalProperties: false,
  required: [
    'identity_id',
    'connection_id',
    'connection_name',
    'connection_kind',
    'subject',
    'email',
    'linked_by',
    'created_at',
    'last_used_at',
  ],
  properties: {
    identity_id: { type: 'string', format: 'uuid' },
    connection_id: properties.connection_id,
    connection_name: properties.name,
    connection_kind: properties.kind,
    subject: { type: 'string', description: 'The id of the account at the provider, such as `sub`.' },
    email: { type: ['string', 'null'], description: 'The address of the account at its last sign-in.' },
    linked_by: {
      type: 'string',
      enum: ['user', 'domain', 'creation', 'administrator'],
      description:
        'Linked by the user while signed in, because the domain is trusted, with the creation of the user, or by an administrator.',
    },
    created_at: instant,
    last_used_at: instant,
  },
} as const

export type Identity = FromSchema<typeof identitySchema>

export const linkIdentitySchema = {
  $id: 'LinkIdentity',
  type: 'object',
  additionalProperties: false,
  required: ['connection_id'],
  properties: {
    connection_id: properties.connection_id,
    return_to: {
      type: 'string',
      maxLength: 2048,
      description:
        'Where the browser goes afterwards: a path, or a URL of an origin in `ROLLBOOK_RETURN_ORIGINS`. Default: the page `/link`.',
    },
  },
} as const

export type LinkIdentity = FromSchema<typeof linkIdentitySchema>

export const linkUserIdentitySchema = {
  $id: 'LinkUserIdentity',
  type: 'object',
  additionalProperties: false,
  required: ['connection_id', 'subject'],
  properties: {
    connection_id: properties.connection_id,
    subject: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description:
        'The id of the account at the provider: `sub` of OpenID Connect, the id of the GitHub user, the NameID or `subject_claim` of SAML, `subject_attribute` of LDAP. The failures of the connection show it after a sign-in that was refused.',
      examples: ['00u1example'],
    },
  },
} as const

export type LinkUserIdentity = FromSchema<typeof linkUserIdentitySchema>

export const linkStartSchema = {
  $id: 'LinkStart',
  type: 'object',
  additionalProperties: false,
  required: ['authorization_url'],
  properties: {
    authorization_url: { type: 'string', format: 'uri', description: 'Send the browser there.' },
  },
} as const

export const removedIdentitiesSchema = {
  $id: 'ConfirmationOfIdentityRemoval',
  type: 'object',
  additionalProperties: false,
  required: ['user_id', 'removed'],
  properties: {
    user_id: { type: 'string', format: 'uuid' },
    removed: {
      type: 'integer',
      minimum: 0,
      description: 'The number of identities removed, or that would be in a dry run.',
    },
  },
} as const

export const failuresQuerySchema = {
  type: 'object',
  additionalProperties: false,
  properties: { limit: { type: 'integer', minimum: 1, maximum: 100, description: 'Default: 100.' } },
} as const

// Open objects: later releases may add members. An incompatible form would be named V2.
const user_id = { type: 'string', format: 'uuid' } as const
const connectionMembers = signInConnectionSchema.properties
const identityMembers = identitySchema.properties

const connectionEventSchema = {
  $id: 'ConnectionEventV1',
  description:
    '`data` of the events `connection.*`. It never contains a secret. The deletion of a connection removes its identities without events of their own.',
  anyOf: [
    {
      title: 'created, updated',
      type: 'object',
      required: ['connection_id', 'kind', 'preset', 'name', 'active', 'position', 'domains', 'unlinked'],
      properties: {
        connection_id: connectionMembers.connection_id,
        kind: connectionMembers.kind,
        preset: connectionMembers.preset,
        name: connectionMembers.name,
        active: connectionMembers.active,
        position: connectionMembers.position,
        domains: connectionMembers.domains,
        trusted_domains: connectionMembers.trusted_domains,
        provisioning_domains: connectionMembers.provisioning_domains,
        unlinked: {
          type: 'integer',
          minimum: 0,
          description: 'How many identities the change removed, without events of their own.',
        },
        created_at: connectionMembers.created_at,
        updated_at: connectionMembers.updated_at,
        organization_id: connectionMembers.organization_id,
      },
    },
    {
      title: 'deleted',
      type: 'object',
      required: ['connection_id'],
      properties: { connection_id: connectionMembers.connection_id },
    },
  ],
} as const

const identityEventSchema = {
  $id: 'IdentityEventV1',
  description: '`data` of the events `identity.*`: an account of a company was linked to a user, or is no longer.',
  anyOf: [
    {
      title: 'linked',
      type: 'object',
      required: ['identity_id', 'user_id', 'connection_id', 'subject', 'email', 'linked_by', 'created_at'],
      properties: {
        identity_id: identityMembers.identity_id,
        user_id,
        connection_id: identityMembers.connection_id,
        subject: identityMembers.subject,
        email: identityMembers.email,
        linked_by: identityMembers.linked_by,
        created_at: identityMembers.created_at,
      },
    },
    {
      title: 'removed',
      type: 'object',
      required: ['identity_id', 'user_id'],
      properties: {
        identity_id: identityMembers.identity_id,
        user_id,
        connection_id: identityMembers.connection_id,
        erased,
      },
    },
  ],
} as const

/** What has a name in the OpenAPI document. */
export const schemas = [
  signInConnectionSchema,
  createSignInConnectionSchema,
  updateSignInConnectionSchema,
  deletedSignInConnectionSchema,
  signInClaimSchema,
  signInFailureSchema,
  testSignInConnectionSchema,
  signInTrialSchema,
  identitySchema,
  linkIdentitySchema,
  linkStartSchema,
  linkUserIdentitySchema,
  removedIdentitiesSchema,
  connectionEventSchema,
  identityEventSchema,
] as const
