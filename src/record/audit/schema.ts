import type { FromSchema } from 'json-schema-to-ts'

const nullableText = { type: ['string', 'null'] } as const
const nullableObject = (description: string) =>
  ({ type: ['object', 'null'], additionalProperties: true, description }) as const

const actorKinds = ['user', 'api_key', 'service', 'system', 'anonymous'] as const
const outcomes = ['success', 'failure', 'denied'] as const
const hash = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const

export const auditRecordSchema = {
  $id: 'AuditRecord',
  type: 'object',
  description: 'Who did what to whom, when and from where.',
  additionalProperties: false,
  required: [
    'seq',
    'record_id',
    'occurred_at',
    'action',
    'outcome',
    'code',
    'actor',
    'target',
    'changes',
    'details',
    'address',
    'user_agent',
    'request_id',
    'erased',
    'hash',
  ],
  properties: {
    seq: { type: 'integer', description: 'Its number: each record has the next one.' },
    record_id: { type: 'string', format: 'uuid' },
    occurred_at: { type: 'string', format: 'date-time', description: 'When the request was received.' },
    action: { type: 'string', description: 'Noun and past participle.', examples: ['user.updated'] },
    outcome: {
      type: 'string',
      enum: outcomes,
      description: '`failure`: a sign-in that did not succeed; `denied`: somebody was not allowed to.',
    },
    code: { ...nullableText, description: 'The problem that was answered, unless the outcome is `success`.' },
    actor: {
      type: 'object',
      description: 'Who did it; `anonymous` is nobody that is known.',
      additionalProperties: false,
      required: ['kind', 'id', 'name', 'key_id', 'session_id'],
      properties: {
        kind: { type: 'string', enum: actorKinds },
        id: { type: 'string', description: 'Of a person the `user_id`, of a key the `key_id`.' },
        name: { ...nullableText, description: 'What they were called then; null when it was erased.' },
        key_id: nullableText,
        session_id: nullableText,
      },
    },
    target: {
      type: ['object', 'null'],
      description: 'What it was done to.',
      additionalProperties: false,
      required: ['kind', 'id', 'name'],
      properties: {
        kind: { type: 'string', examples: ['user'] },
        id: { type: 'string' },
        name: { ...nullableText, description: 'What it was called then; null when it was erased, or has no name.' },
      },
    },
    changes: nullableObject(
      'By member: `{"before": …, "after": …}`, or `"changed"` of a secret. Null: none, or they were erased.',
    ),
    details: nullableObject('What else is to be said, by action. Null: nothing, or it was erased.'),
    address: { ...nullableText, description: 'The address of the client; null when Rollbook acted by itself.' },
    user_agent: nullableText,
    request_id: { type: 'string', description: 'As in `X-Request-Id`.' },
    erased: { type: 'boolean', description: 'What it said of a person has been erased with that person.' },
    hash: { ...hash, description: 'Its link of the chain.' },
  },
} as const

export type AuditRecord = FromSchema<typeof auditRecordSchema>

export const auditCheckpointSchema = {
  $id: 'AuditCheckpoint',
  type: 'object',
  description: 'The end of the chain at a moment. Keep it elsewhere: later it proves that no record was removed since.',
  additionalProperties: false,
  required: ['seq', 'count', 'hash', 'created_at', 'base_seq'],
  properties: {
    seq: { type: 'integer', minimum: 0, description: 'The number of the newest record.' },
    count: { type: 'integer', minimum: 0, description: 'How many records there are.' },
    hash: { type: 'string', pattern: '^([0-9a-f]{64})?$', description: 'The hash of the newest record.' },
    created_at: { type: 'string', format: 'date-time' },
    base_seq: { type: 'integer', minimum: 0, description: 'Up to which number retention has removed records.' },
  },
} as const

export type AuditCheckpoint = FromSchema<typeof auditCheckpointSchema>

const instant = (description: string) => ({ type: 'string', format: 'date-time', description }) as const

const filters = {
  actor: { type: 'string', minLength: 1, maxLength: 1024, description: 'Only what they did: an id of a user or key.' },
  actor_kind: { type: 'string', enum: actorKinds },
  action: {
    type: 'array',
    maxItems: 50,
    items: { type: 'string', maxLength: 128, pattern: '^[a-z][a-z_]*\\.([a-z_]+|\\*)$' },
    description: 'Only these actions, such as `user.updated`, or `user.*` for all of users; repeat the parameter.',
  },
  outcome: { type: 'string', enum: outcomes },
  occurred_after: instant('Only records of after this instant (RFC 3339).'),
  occurred_before: instant('Only records of before this instant (RFC 3339).'),
  request_id: { type: 'string', minLength: 1, maxLength: 128, description: 'Only records of this request.' },
} as const

const paging = {
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    description: 'At most so many records, with a `Link` to the next page. Default: 100; in NDJSON all.',
  },
  cursor: {
    type: 'string',
    maxLength: 128,
    description: 'Where to go on: from the `Link` header of the page before.',
  },
  sort: {
    type: 'string',
    enum: ['seq', '-seq'],
    description: 'Oldest first or newest first. Default: `-seq`; in NDJSON `seq`.',
  },
} as const

export const listUserAuditSchema = {
  type: 'object',
  additionalProperties: false,
  properties: { ...paging, ...filters },
} as const

export const listAuditSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...paging,
    ...filters,
    target: { type: 'string', minLength: 1, maxLength: 1024, description: 'Only what was done to this id.' },
  },
} as const

export type ListAudit = FromSchema<typeof listAuditSchema>
