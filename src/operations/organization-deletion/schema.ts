import type { FromSchema } from 'json-schema-to-ts'
import { overrideQuery } from '../../http/endpoint/override.ts'

export const deletionQuery = {
  ...overrideQuery,
  properties: {
    ...overrideQuery.properties,
    users: {
      type: 'string',
      enum: ['delete'],
      description:
        '`delete`: deletes its users, and everything else that belongs to it, too. Missing: the organization must be empty.',
    },
    override: {
      type: 'boolean',
      description:
        'Also what a configuration file manages, and with `users=delete` users whom a provisioning connection from elsewhere manages.',
    },
  },
} as const

export type DeletionQuery = FromSchema<typeof deletionQuery>
