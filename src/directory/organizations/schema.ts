import type { FromSchema } from 'json-schema-to-ts'
import { managedByFileMember } from '../../store/managed-by-file.ts'
import * as named from '../named-resources/schema.ts'
import {
  createSetupLinkSchema,
  newSetupLinkSchema,
  revokedSetupLinkSchema,
  setupLinkEventSchema,
  setupLinkSchema,
} from './setup-link-schema.ts'

const instant = { type: 'string', format: 'date-time', examples: ['2026-11-20T09:30:00.000Z'] } as const

const name = {
  ...named.name,
  description: 'Unique, compared as names of groups are; shown as entered.',
} as const
const externalId = {
  ...named.externalId,
  description: "The client's own id for the organization. Unique, compared exactly.",
} as const
const active = {
  type: 'boolean',
  description: 'If false, none of its users can sign in, and they are refused everywhere, as disabled users are.',
} as const
const secondFactor = {
  type: ['string', 'null'],
  enum: ['required', null],
  description:
    '`required`: its users need a second factor, whatever the policy says of them. Null: only the policy counts. It never weakens the policy.',
} as const

const count = { type: 'integer', minimum: 0 } as const

const domainOfOrganization = {
  type: 'object',
  description: 'A domain of an organization.',
  additionalProperties: false,
  required: ['domain', 'verified_at', 'record_name', 'record_value'],
  properties: {
    domain: { type: 'string', description: 'In lower case and ASCII.', examples: ['acme.example'] },
    verified_at: {
      type: ['string', 'null'],
      format: 'date-time',
      description:
        'When the record was found, or a caller vouched for the domain. Null: not yet. A verified domain belongs to one organization, and stays verified when its record disappears.',
    },
    record_name: {
      type: 'string',
      description: 'The name of the TXT record that proves the domain.',
      examples: ['_rollbook.acme.example'],
    },
    record_value: {
      type: 'string',
      description: 'What the record must have. It proves this domain of this organization only, and is no secret.',
      examples: ['rollbook-verification=Pb7xq0yD2mWvN1sKc8RtLg'],
    },
  },
} as const

/** Named, as the response of operations. */
export const organizationDomainSchema = { ...domainOfOrganization, $id: 'OrganizationDomain' } as const

export type OrganizationDomain = FromSchema<typeof organizationDomainSchema>

export const addDomainSchema = {
  $id: 'AddOrganizationDomain',
  type: 'object',
  additionalProperties: false,
  required: ['domain'],
  properties: {
    domain: {
      type: 'string',
      minLength: 1,
      maxLength: 1024,
      description:
        'A domain below a top-level one, without scheme, path and port. Capitals, a dot at the end and other scripts are allowed. Subdomains do not count.',
      examples: ['acme.example'],
    },
    verified: {
      type: 'boolean',
      description:
        'True: you vouch that the domain belongs to the organization, so that no record is needed. Default: false.',
    },
  },
} as const

export type AddOrganizationDomain = FromSchema<typeof addDomainSchema>

export const deletedDomainSchema = {
  $id: 'ConfirmationOfDomainDeletion',
  type: 'object',
  additionalProperties: false,
  required: ['organization_id', 'domain', 'deleted'],
  properties: {
    organization_id: { type: 'string', format: 'uuid' },
    domain: { type: 'string' },
    deleted: { type: 'boolean', description: 'False only in a dry run.' },
  },
} as const

export const organizationSchema = {
  $id: 'Organization',
  type: 'object',
  description: 'An organization, for example a customer whose people are your users.',
  additionalProperties: false,
  required: [
    ...(['organization_id', 'name', 'external_id', 'active', 'domains', 'second_factor'] as const),
    ...(['user_count', 'group_count', 'created_at', 'updated_at'] as const),
  ],
  properties: {
    organization_id: { type: 'string', format: 'uuid', description: 'A UUIDv7 made by the server, never reused.' },
    name: { ...name, examples: ['Acme'] },
    external_id: { ...externalId, examples: ['crm-4711'] },
    active,
    domains: { type: 'array', description: 'Its domains, by name.', items: domainOfOrganization },
    second_factor: secondFactor,
    user_count: { type: 'integer', minimum: 0, description: 'How many users belong to it.', examples: [12] },
    group_count: { type: 'integer', minimum: 0, description: 'How many groups belong to it.', examples: [2] },
    created_at: instant,
    updated_at: instant,
    managed_by: managedByFileMember,
  },
} as const

export type Organization = FromSchema<typeof organizationSchema>

export const createOrganizationSchema = {
  $id: 'CreateOrganization',
  type: 'object',
  description: 'Only `name` is required. Unknown members are refused.',
  additionalProperties: false,
  required: ['name'],
  properties: {
    name,
    external_id: externalId,
    active: { ...active, description: `${active.description} Default: true.` },
    second_factor: secondFactor,
  },
} as const

export type CreateOrganization = FromSchema<typeof createOrganizationSchema>

export const updateOrganizationSchema = {
  $id: 'UpdateOrganization',
  type: 'object',
  description:
    'A JSON Merge Patch (RFC 7396): omitted members stay unchanged; `null` clears `external_id` or `second_factor`.',
  additionalProperties: false,
  properties: { name, external_id: externalId, active, second_factor: secondFactor },
} as const

export type UpdateOrganization = FromSchema<typeof updateOrganizationSchema>

export const deletedOrganizationSchema = {
  $id: 'ConfirmationOfOrganizationDeletion',
  type: 'object',
  additionalProperties: false,
  required: ['organization_id', 'deleted'],
  properties: {
    organization_id: { type: 'string', format: 'uuid' },
    deleted: { type: 'boolean', description: 'False in a dry run, and while users are left.' },
    user_count: { ...count, description: 'With `users=delete`: how many of its users this request deleted.' },
    users_left: {
      ...count,
      description: 'How many of its users are not deleted yet: repeat the request. Missing: none.',
    },
    group_count: { ...count, description: 'With `users=delete`: how many groups are deleted with it.' },
    key_count: { ...count, description: 'With `users=delete`: how many API keys are deleted with it.' },
    connection_count: {
      ...count,
      description: 'With `users=delete`: how many connections, for sign-in and for provisioning, are deleted with it.',
    },
    guest_count: { ...count, description: 'With `users=delete`: how many users from elsewhere leave its groups.' },
  },
} as const

export const organizationSorts = ['name', 'created_at'] as const

export const listOrganizationsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...named.listParameters('organization', 'organizations', organizationSorts),
    active: { type: 'boolean', description: 'Only active organizations, or only those that are not.' },
  },
} as const

export type ListOrganizations = FromSchema<typeof listOrganizationsSchema>

const { user_count: _, group_count: __, managed_by: ___, ...organizationMembers } = organizationSchema.properties
const { domain, verified_at } = domainOfOrganization.properties
const eventMembers = {
  ...organizationMembers,
  domains: {
    ...organizationMembers.domains,
    items: { type: 'object', required: ['domain', 'verified_at'], properties: { domain, verified_at } },
  },
} as const

// Open objects: later releases may add members. An incompatible form would be named V2.
const organizationEventSchema = {
  $id: 'OrganizationEventV1',
  description:
    '`data` of the events `organization.*`. Which users and groups belong to it is in the events `user.*` and `group.*`.',
  anyOf: [
    {
      title: 'created, updated',
      description: 'The organization after the change.',
      type: 'object',
      required: Object.keys(eventMembers),
      properties: eventMembers,
    },
    {
      title: 'deleted',
      type: 'object',
      required: ['organization_id'],
      properties: { organization_id: organizationMembers.organization_id },
    },
  ],
} as const

/** What has a name in the OpenAPI document. */
export const schemas = [
  organizationDomainSchema,
  addDomainSchema,
  deletedDomainSchema,
  organizationSchema,
  createOrganizationSchema,
  updateOrganizationSchema,
  deletedOrganizationSchema,
  organizationEventSchema,
  setupLinkSchema,
  newSetupLinkSchema,
  createSetupLinkSchema,
  revokedSetupLinkSchema,
  setupLinkEventSchema,
] as const
