import type { FromSchema } from 'json-schema-to-ts'
import { attributeFilters, filters } from '../../directory/users/schema.ts'
import { dryRunParameter } from '../../http/endpoint/change.ts'

export const exportQuery = {
  type: 'object',
  additionalProperties: false,
  patternProperties: attributeFilters,
  properties: { ...filters, ...dryRunParameter },
} as const

export type ExportQuery = FromSchema<typeof exportQuery>

export const exportUsersSchema = {
  $id: 'ExportUsers',
  type: 'object',
  additionalProperties: false,
  required: ['passphrase'],
  properties: {
    passphrase: {
      type: 'string',
      // It must withstand guessing by anyone with the file, for as long as its passwords are in use.
      minLength: 16,
      maxLength: 1024,
      description:
        'The passphrase that decrypts the file, at least 16 characters. Rollbook does not store it; without it the file is lost.',
    },
    factors: {
      type: 'boolean',
      description:
        'False: without the secrets of one-time codes and the hashes of recovery codes. These users then sign in at the other store with the password alone.',
      default: true,
    },
  },
} as const

export type ExportUsers = FromSchema<typeof exportUsersSchema>

export const plannedExportSchema = {
  $id: 'PlannedExport',
  type: 'object',
  additionalProperties: false,
  required: ['users'],
  properties: {
    users: { type: 'integer', minimum: 0, description: 'The number of users that the file would contain.' },
  },
} as const

/** What has a name in the OpenAPI document. */
export const schemas = [exportUsersSchema, plannedExportSchema] as const
