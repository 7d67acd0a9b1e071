import type { FromSchema } from 'json-schema-to-ts'
import { attributeFilters, filters } from '../../directory/users/schema.ts'
import { accessSourceSchema } from '../access-report/schema.ts'

export const rowStates = ['open', 'kept', 'removed', 'changed_meanwhile'] as const
export type RowState = (typeof rowStates)[number]

const longestName = 128
const longestComment = 1000
/** A review of more rows is split by its filter. */
export const mostRows = 100_000
export const mostDecided = 1000

const instant = { type: 'string', format: 'date-time' } as const
const nullableInstant = { type: ['string', 'null'], format: 'date-time' } as const
const party = {
  type: 'object',
  additionalProperties: false,
  required: ['kind', 'id', 'name'],
  properties: {
    kind: { type: 'string', examples: ['user'] },
    id: { type: 'string' },
    name: { type: 'string', description: 'Empty once the user was erased.' },
  },
} as const
const nullableParty = { ...party, type: ['object', 'null'] } as const

const name = { type: 'string', minLength: 1, maxLength: longestName, examples: ['Q4 2026'] } as const
const filter = {
  type: 'object',
  additionalProperties: false,
  patternProperties: attributeFilters,
  properties: filters,
  description: 'Whose access is reviewed: the filters of `GET /users`. Empty: everybody with a permission.',
} as const
const reviewers = {
  type: 'array',
  maxItems: 100,
  uniqueItems: true,
  items: { type: 'string', format: 'uuid' },
  description: 'The users who may decide. Empty, or if none of them can any more: everybody with `reviews:write`.',
} as const
const dueAt = { ...instant, description: 'Until when the rows are to be decided.' } as const
const removeOpen = {
  type: 'boolean',
  description: 'Remove what is not decided at `due_at`. Otherwise it is only reported.',
} as const

const counts = {
  type: 'object',
  additionalProperties: false,
  required: rowStates,
  properties: Object.fromEntries(rowStates.map((state) => [state, { type: 'integer', minimum: 0 }])) as {
    [State in RowState]: { type: 'integer'; minimum: 0 }
  },
  description: 'How many rows are in each state.',
} as const

export const reviewSchema = {
  $id: 'Review',
  type: 'object',
  description:
    'An access review: the rows of the access report as they were when it began, and the decisions about them.',
  additionalProperties: false,
  required: [
    'review_id',
    'name',
    'state',
    'filter',
    'due_at',
    'reviewers',
    'remove_open',
    'row_count',
    'counts',
    'created_at',
    'created_by',
    'updated_at',
    'closed_at',
    'closed_by',
    'digest',
  ],
  properties: {
    review_id: { type: 'string', format: 'uuid' },
    name,
    state: { type: 'string', enum: ['open', 'closed'] },
    filter: { ...filter, additionalProperties: true, patternProperties: {}, properties: {} },
    due_at: dueAt,
    reviewers,
    remove_open: removeOpen,
    row_count: { type: 'integer', minimum: 0 },
    counts,
    created_at: instant,
    created_by: party,
    updated_at: instant,
    closed_at: nullableInstant,
    closed_by: nullableParty,
    digest: {
      type: ['string', 'null'],
      description: 'SHA-256 of the sealed rows; the audit record of the closing has it as well. Null while it is open.',
    },
  },
} as const

export type Review = FromSchema<typeof reviewSchema>

export const createReviewSchema = {
  $id: 'CreateReview',
  type: 'object',
  additionalProperties: false,
  required: ['name', 'due_at'],
  properties: { name, filter, due_at: dueAt, reviewers, remove_open: { ...removeOpen, default: false } },
} as const

export type CreateReview = FromSchema<typeof createReviewSchema>

export const updateReviewSchema = {
  $id: 'UpdateReview',
  type: 'object',
  description: 'Omitted members stay unchanged.',
  additionalProperties: false,
  properties: {
    name,
    due_at: dueAt,
    reviewers,
    remove_open: removeOpen,
    state: { type: 'string', enum: ['closed'], description: 'Closes and seals the review, once.' },
  },
} as const

export type UpdateReview = FromSchema<typeof updateReviewSchema>

export const reviewRowSchema = {
  $id: 'ReviewRow',
  type: 'object',
  description: 'A row of the access report as it was when the review began, and the decision about it.',
  additionalProperties: false,
  required: [...accessSourceSchema.required, 'state', 'comment', 'decided_at', 'decided_by'],
  properties: {
    ...accessSourceSchema.properties,
    state: {
      type: 'string',
      enum: rowStates,
      description:
        '`changed_meanwhile`: the user does not have this role or membership any more, or the group has another role.',
    },
    comment: { type: 'string' },
    decided_at: nullableInstant,
    decided_by: nullableParty,
  },
} as const

export type ReviewRow = FromSchema<typeof reviewRowSchema>

export const listReviewRowsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    state: { type: 'string', enum: rowStates, description: 'Only rows in this state.' },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      description: 'At most this many; a `Link` leads to the next.',
    },
    cursor: { type: 'string', description: 'Where the page starts: from the `Link` of the one before.' },
  },
} as const

export type ListReviewRows = FromSchema<typeof listReviewRowsSchema>

export const decideSchema = {
  $id: 'DecideReviewRows',
  type: 'object',
  additionalProperties: false,
  required: ['row_ids', 'decision'],
  properties: {
    row_ids: {
      type: 'array',
      minItems: 1,
      maxItems: mostDecided,
      uniqueItems: true,
      items: { type: 'string', maxLength: 80 },
    },
    decision: {
      type: 'string',
      enum: ['keep', 'remove'],
      description:
        '`remove` takes the role or the membership away at once. `keep` of a row that was removed gives it back.',
    },
    comment: { type: 'string', maxLength: longestComment },
  },
} as const

export type DecideReviewRows = FromSchema<typeof decideSchema>

export const decidedRowsSchema = {
  $id: 'DecidedReviewRows',
  type: 'object',
  additionalProperties: false,
  required: ['rows', 'counts'],
  properties: {
    rows: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['row_id', 'state'],
        properties: {
          row_id: { type: 'string' },
          state: { type: 'string', enum: rowStates, description: 'The state after this request.' },
          code: { type: 'string', description: 'Why it was not decided: a problem code.', examples: ['last_admin'] },
          detail: { type: 'string', description: 'The same in a sentence.' },
        },
      },
    },
    counts,
  },
} as const

export type DecidedReviewRows = FromSchema<typeof decidedRowsSchema>

export const reviewEventSchema = {
  $id: 'ReviewEventV1',
  type: 'object',
  additionalProperties: false,
  required: ['review_id', 'name', 'state', 'due_at', 'closed_at', 'digest'],
  properties: {
    review_id: reviewSchema.properties.review_id,
    name,
    state: reviewSchema.properties.state,
    due_at: dueAt,
    closed_at: nullableInstant,
    digest: reviewSchema.properties.digest,
  },
} as const

/** What has a name in the OpenAPI document. */
export const schemas = [
  reviewSchema,
  createReviewSchema,
  updateReviewSchema,
  reviewRowSchema,
  decideSchema,
  decidedRowsSchema,
  reviewEventSchema,
] as const
