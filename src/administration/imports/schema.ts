import type { FromSchema } from 'json-schema-to-ts'
import { updateUserSchema } from '../../directory/users/schema.ts'
import { factorsPerUser } from '../../lib/totp-form.ts'

const instant = { type: 'string', format: 'date-time', examples: ['2026-11-20T09:30:00.000Z'] } as const
const nullableInstant = { type: ['string', 'null'], format: 'date-time' } as const
const count = { type: 'integer', minimum: 0 } as const

export const modes = ['create', 'update'] as const
export const conflicts = ['reject', 'skip'] as const
export const matches = ['username', 'email', 'external_id', 'user_id'] as const
export const formats = ['ndjson', 'csv', 'xlsx'] as const
/** How jobs match and read rows. A directory synchronization has values of its own, which an import cannot ask for. */
export const jobMatches = [...matches, 'identity'] as const
export const jobFormats = [...formats, 'ldap'] as const
export const verdicts = ['created', 'updated', 'unchanged', 'skipped', 'rejected'] as const

/** Members of exported users that an import reads over, and why. */
export const ignoredMembers = {
  has_password: 'follows from `password` and `password_hash`',
  invited: 'the invitation belongs to the other store; `invite` invites again',
  email_verified: 'the address was shown to another service',
  managed_by: 'the connection belongs to the other store',
  effective_roles: 'follows from `role` and `groups`',
  membership_expires_at: 'belongs to the membership of one group',
} as const

/** A row. A user as any export shows it is valid too. */
export const importRowSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...updateUserSchema.properties,
    user_id: { type: 'string', format: 'uuid' },
    password_hash: { type: 'string', minLength: 1, maxLength: 4096 },
    must_change_password: { type: 'boolean' },
    created_at: instant,
    updated_at: instant,
    last_login_at: nullableInstant,
    has_password: { type: 'boolean' },
    invited: { type: 'boolean' },
    email_verified: { type: 'boolean' },
    managed_by: { type: ['string', 'null'], maxLength: 64 },
    effective_roles: { type: ['array', 'string'], items: { type: 'string' } },
    membership_expires_at: { type: 'string' },
    invite: { type: 'boolean' },
    totp_secret: { type: ['string', 'null'], maxLength: 512 },
    factors: {
      type: 'array',
      maxItems: factorsPerUser,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['kind', 'secret'],
        properties: {
          kind: { type: 'string', maxLength: 32 },
          secret: { type: 'string', maxLength: 512 },
          name: { type: 'string', maxLength: 64 },
          algorithm: { type: 'string', maxLength: 32 },
          digits: { type: 'integer' },
          period: { type: 'integer' },
        },
      },
    },
    recovery_code_hashes: { type: 'array', maxItems: 10, items: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' } },
    organization: { type: ['string', 'null'], minLength: 1, maxLength: 128 },
    groups: { type: 'array', maxItems: 1000, items: { type: 'string', minLength: 1, maxLength: 128 } },
  },
} as const

export type ImportRow = FromSchema<typeof importRowSchema>

export const importedRowSchema = {
  $id: 'ImportedRow',
  type: 'object',
  description: 'The result for a row.',
  additionalProperties: false,
  required: ['row', 'line', 'verdict', 'user_id'],
  properties: {
    row: {
      type: 'integer',
      minimum: 1,
      description: 'The number of the row in the file. The header of a CSV file and blank lines do not count.',
    },
    line: {
      type: ['integer', 'null'],
      minimum: 1,
      description:
        'The line on which the row begins, as editors count: the header of a CSV file, blank lines and line breaks within cells count. Null if unknown because the row came in a part without `from_line`.',
    },
    verdict: {
      type: 'string',
      enum: verdicts,
      description:
        '`unchanged`: the user existed and already matched the row. Passwords are not compared: a user who has one keeps it. `skipped`: the user existed but did not match the row.',
    },
    user_id: {
      type: ['string', 'null'],
      description: 'Null if the row was rejected, or if a dry run would create the user.',
    },
    code: {
      type: 'string',
      description: 'The reason for the rejection: a problem code, or the code of an input fault.',
    },
    pointer: {
      type: ['string', 'null'],
      description: 'The member, as an RFC 6901 fragment; null: the whole row.',
    },
    detail: { type: 'string' },
  },
} as const

export type ImportedRow = FromSchema<typeof importedRowSchema>

export const importJobSchema = {
  $id: 'ImportJob',
  type: 'object',
  description: 'An import and its progress.',
  additionalProperties: false,
  required: [
    'job_id',
    'state',
    'dry_run',
    'mode',
    'on_conflict',
    'match',
    'format',
    'rows_done',
    'created',
    'updated',
    'unchanged',
    'skipped',
    'rejected',
    'rejects',
    'created_at',
    'updated_at',
    'finished_at',
  ],
  properties: {
    job_id: { type: 'string', format: 'uuid' },
    state: {
      type: 'string',
      enum: ['running', 'interrupted', 'done', 'cancelled'],
      description:
        '`running`: rows are arriving, or arrived less than a minute ago. `interrupted`: no rows are arriving; send the rest with the same `job_id`.',
    },
    dry_run: { type: 'boolean', description: 'Whether the import is a dry run, which changes nothing.' },
    mode: { type: 'string', enum: modes },
    on_conflict: { type: 'string', enum: conflicts },
    match: {
      type: 'string',
      enum: jobMatches,
      description: '`identity`: users are recognized by the connection that is synchronized.',
    },
    format: { type: 'string', enum: jobFormats, description: '`ldap`: a directory is synchronized.' },
    file_name: { type: 'string', description: 'The name of the file; missing if it was not given.' },
    rows_done: {
      ...count,
      description: 'The number of finished rows: their verdicts are final and their changes are committed.',
    },
    created: count,
    updated: count,
    unchanged: count,
    skipped: count,
    rejected: count,
    rejects: {
      type: 'array',
      items: { $ref: 'ImportedRow#' },
      description: 'The first 100 rejected rows. `GET /imports/{job_id}/rows?verdict=rejected` returns all of them.',
    },
    created_at: instant,
    updated_at: instant,
    finished_at: nullableInstant,
  },
} as const

export type ImportJob = FromSchema<typeof importJobSchema, { references: [typeof importedRowSchema] }>

export const importQuerySchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    mode: {
      type: 'string',
      enum: modes,
      description: '`create` (default): rows are new users. `update`: existing users get the members of the row.',
    },
    on_conflict: {
      type: 'string',
      enum: conflicts,
      description:
        'With `mode=create`, if the user exists but does not match the row: `reject` (default) or `skip` the row.',
    },
    match: {
      type: 'string',
      enum: matches,
      description: 'The member that identifies existing users. Default: `username`.',
    },
    dry_run: {
      type: 'boolean',
      description: 'Return the result for each row, with the same checks, without changing any user.',
    },
    job_id: {
      type: 'string',
      format: 'uuid',
      description:
        'A UUID of your choice. With it you can continue an interrupted import: send the same request again.',
    },
    file_name: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'The name of the file, to find the import in the audit.',
      examples: ['employees.csv'],
    },
    from_row: {
      type: 'integer',
      minimum: 0,
      description: 'How many rows of the file come before this body, if it is a part of the file. Default: 0.',
    },
    from_line: {
      type: 'integer',
      minimum: 0,
      description:
        'How many lines of the file come before the first row of this part, including the header and blank lines, so that verdicts have the line numbers of the file. The header at the start of a CSV part is not counted then.',
    },
    count_lines: {
      type: 'boolean',
      description:
        'False: the line numbers of the body differ from those of the file, so verdicts have no `line`. Default: true.',
    },
    complete: { type: 'boolean', description: 'False: more parts follow. Default: true.' },
  },
} as const

export type ImportQuery = FromSchema<typeof importQuerySchema>

export const listImportsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 100, description: 'Default: 20.' },
  },
} as const

export const listRowsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    verdict: {
      type: 'array',
      maxItems: verdicts.length,
      items: { type: 'string', enum: verdicts },
      description: 'Only rows with this verdict; may be repeated.',
    },
    after_row: { type: 'integer', minimum: 0, description: 'Only rows after this row number.' },
  },
} as const

export type ListRows = FromSchema<typeof listRowsSchema>

/** What has a name in the OpenAPI document. */
export const schemas = [importedRowSchema, importJobSchema] as const
