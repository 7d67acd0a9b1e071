import type { FromSchema } from 'json-schema-to-ts'
import { updateUserSchema } from '../users/schema.ts'

const instant = { type: 'string', format: 'date-time', examples: ['2026-11-20T09:30:00.000Z'] } as const
const nullableInstant = { type: ['string', 'null'], format: 'date-time' } as const
const count = { type: 'integer', minimum: 0 } as const

export const modes = ['create', 'update'] as const
export const conflicts = ['reject', 'skip'] as const
export const matches = ['username', 'email', 'external_id', 'user_id'] as const
export const formats = ['ndjson', 'csv'] as const
export const verdicts = ['created', 'updated', 'unchanged', 'skipped', 'rejected'] as const

/**
 * A row. A user as the API shows it is valid too: `has_password` is ignored here.
 */
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
  },
} as const

export type ImportRow = FromSchema<typeof importRowSchema>

export const importedRowSchema = {
  $id: 'ImportedRow',
  type: 'object',
  description: 'What became of a row.',
  additionalProperties: false,
  required: ['row', 'line', 'verdict', 'user_id'],
  properties: {
    row: {
      type: 'integer',
      minimum: 1,
      description: 'Its number in the file. The header of a CSV file and empty lines do not count.',
    },
    line: {
      type: ['integer', 'null'],
      minimum: 1,
      description:
        'The line of the file on which the row begins, as editors count: the header of a CSV file, empty lines and line breaks within cells count. Null when it is not known: the row came in a part without `from_line`.',
    },
    verdict: {
      type: 'string',
      enum: verdicts,
      description:
        '`unchanged`: the user was there already and had all that the row says, passwords aside: who has one keeps it. `skipped`: the user was there, and is not as the row says.',
    },
    user_id: {
      type: ['string', 'null'],
      description: 'Null when the row was rejected, or a dry run would create the user.',
    },
    code: { type: 'string', description: 'Of what is wrong with the row: a problem code, or that of an input fault.' },
    pointer: {
      type: ['string', 'null'],
      description: 'The member, as an RFC 6901 fragment; null: the row as a whole.',
    },
    detail: { type: 'string' },
  },
} as const

export type ImportedRow = FromSchema<typeof importedRowSchema>

export const importJobSchema = {
  $id: 'ImportJob',
  type: 'object',
  description: 'An import, and how far it has come.',
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
        '`running`: rows are arriving, or have been expected for less than a minute. `interrupted`: none are; send the rest with the same `job_id`.',
    },
    dry_run: { type: 'boolean', description: 'It only says what would happen.' },
    mode: { type: 'string', enum: modes },
    on_conflict: { type: 'string', enum: conflicts },
    match: { type: 'string', enum: matches },
    format: { type: 'string', enum: formats },
    rows_done: {
      ...count,
      description: 'So many rows are done: their verdicts stand, and their changes are committed.',
    },
    created: count,
    updated: count,
    unchanged: count,
    skipped: count,
    rejected: count,
    rejects: {
      type: 'array',
      items: { $ref: 'ImportedRow#' },
      description: 'The first 100 rejected rows; all of them: `GET /imports/{job_id}/rows?verdict=rejected`.',
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
      description: '`create` (default): rows are new users. `update`: a user who is there gets the members of the row.',
    },
    on_conflict: {
      type: 'string',
      enum: conflicts,
      description:
        'With `mode=create`, when the user is there and is not as the row says: `reject` (default) the row, or `skip` it.',
    },
    match: { type: 'string', enum: matches, description: 'By what a user is known who is there. Default: `username`.' },
    dry_run: {
      type: 'boolean',
      description: 'Say what would become of each row, by the same rules, and change no user.',
    },
    job_id: {
      type: 'string',
      format: 'uuid',
      description: 'A UUID of your choice. With it the import can be gone on with: send the same again.',
    },
    from_row: {
      type: 'integer',
      minimum: 0,
      description: 'The body begins behind this row: it is a part of the file. Default: 0.',
    },
    from_line: {
      type: 'integer',
      minimum: 0,
      description:
        'How many lines of the file are before the first row of this part, those of the header and empty ones included, so that the verdicts name the lines of the file. The header that a part of a CSV file begins with does not count then.',
    },
    count_lines: {
      type: 'boolean',
      description:
        'False: the lines of the body are not those of the file, and verdicts have no `line`. Default: true.',
    },
    complete: { type: 'boolean', description: 'False: more parts will come. Default: true.' },
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
    after_row: { type: 'integer', minimum: 0, description: 'Only the rows behind this one.' },
  },
} as const

export type ListRows = FromSchema<typeof listRowsSchema>
