import type { FromSchema } from 'json-schema-to-ts'

const nullableText = { type: ['string', 'null'] } as const
const nullableObject = (description: string) =>
  ({ type: ['object', 'null'], additionalProperties: true, description }) as const

const actorKinds = ['user', 'api_key', 'service', 'setup_link', 'system', 'anonymous'] as const
const outcomes = ['success', 'failure', 'denied'] as const
const hash = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const

export const auditRecordSchema = {
  $id: 'AuditRecord',
  type: 'object',
  description: 'Who changed what, when and from where.',
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
    seq: { type: 'integer', description: 'The sequence number of the record; it grows by one.' },
    record_id: { type: 'string', format: 'uuid' },
    occurred_at: { type: 'string', format: 'date-time', description: 'When the request was received.' },
    action: { type: 'string', description: 'A noun and a past participle.', examples: ['user.updated'] },
    outcome: {
      type: 'string',
      enum: outcomes,
      description: '`failure`: a sign-in that failed; `denied`: the actor was not allowed to.',
    },
    code: { ...nullableText, description: 'The problem code of the response, unless the outcome is `success`.' },
    actor: {
      type: 'object',
      description: 'The actor; `anonymous` if unknown.',
      additionalProperties: false,
      required: ['kind', 'id', 'name', 'key_id', 'session_id'],
      properties: {
        kind: { type: 'string', enum: actorKinds },
        id: {
          type: 'string',
          description: 'For a user the `user_id`, for a key the `key_id`, for a setup link the `setup_link_id`.',
        },
        name: { ...nullableText, description: 'The name of the actor at that time; null if it was erased.' },
        key_id: nullableText,
        session_id: nullableText,
        acts_as: {
          type: 'string',
          description: 'The `user_id` of the impersonated user, if the actor acted as another user.',
        },
      },
    },
    target: {
      type: ['object', 'null'],
      description: 'The target of the action.',
      additionalProperties: false,
      required: ['kind', 'id', 'name'],
      properties: {
        kind: { type: 'string', examples: ['user'] },
        id: { type: 'string' },
        name: {
          ...nullableText,
          description: 'The name of the target at that time; null if it was erased or has no name.',
        },
      },
    },
    changes: nullableObject(
      'For each changed member `{"before": …, "after": …}`, or `"changed"` for a secret. Null: no changes, or they were erased.',
    ),
    details: nullableObject('Further details, depending on the action. Null: none, or they were erased.'),
    address: { ...nullableText, description: 'The address of the client; null if Rollbook itself acted.' },
    user_agent: nullableText,
    request_id: { type: 'string', description: 'The request id, as in `X-Request-Id`.' },
    erased: { type: 'boolean', description: 'Whether the personal data of this record was erased with the user.' },
    hash: { ...hash, description: 'The link of the record in the chain.' },
  },
} as const

export type AuditRecord = FromSchema<typeof auditRecordSchema>

export const auditCheckpointSchema = {
  $id: 'AuditCheckpoint',
  type: 'object',
  description:
    'The end of the chain at one point in time. Store it elsewhere: later it can prove that no record was removed since.',
  additionalProperties: false,
  required: ['seq', 'count', 'hash', 'created_at', 'base_seq'],
  properties: {
    seq: { type: 'integer', minimum: 0, description: 'The sequence number of the newest record.' },
    count: { type: 'integer', minimum: 0, description: 'The number of records.' },
    hash: { type: 'string', pattern: '^([0-9a-f]{64})?$', description: 'The hash of the newest record.' },
    created_at: { type: 'string', format: 'date-time' },
    base_seq: {
      type: 'integer',
      minimum: 0,
      description: 'The sequence number up to which retention has deleted records.',
    },
  },
} as const

export type AuditCheckpoint = FromSchema<typeof auditCheckpointSchema>

const instant = (description: string) => ({ type: 'string', format: 'date-time', description }) as const

const filters = {
  actor: {
    type: 'string',
    minLength: 1,
    maxLength: 1024,
    description: 'Only records of this actor: the id of a user or key.',
  },
  actor_kind: { type: 'string', enum: actorKinds },
  action: {
    type: 'array',
    maxItems: 50,
    items: { type: 'string', maxLength: 128, pattern: '^[a-z][a-z_]*\\.([a-z_]+|\\*)$' },
    description:
      'Only these actions, such as `user.updated`, or `user.*` for all actions on users. You can repeat the parameter.',
  },
  outcome: { type: 'string', enum: outcomes },
  changed: {
    type: 'string',
    maxLength: 64,
    pattern: '^[a-z][a-z_]*$',
    description:
      'Only records in which this member was changed, such as `role` or `password`. A creation or deletion changes no member.',
    examples: ['role'],
  },
  occurred_after: instant('Only records after this time (RFC 3339).'),
  occurred_before: instant('Only records before this time (RFC 3339).'),
  request_id: { type: 'string', minLength: 1, maxLength: 128, description: 'Only records of this request.' },
} as const

const paging = {
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    description:
      'The maximum number of records to return, with a `Link` to the next page. Default: 100; with NDJSON all.',
  },
  cursor: {
    type: 'string',
    maxLength: 128,
    description: 'Where the page starts: from the `Link` header of the previous page.',
  },
  sort: {
    type: 'string',
    enum: ['seq', '-seq'],
    description: 'Oldest first (`seq`) or newest first (`-seq`). Default: `-seq`; with NDJSON `seq`.',
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
    target: { type: 'string', minLength: 1, maxLength: 1024, description: 'Only records about this target id.' },
    organization: {
      type: 'string',
      minLength: 1,
      maxLength: 64,
      description:
        'Only records about what belonged to the organization with this `organization_id` at that time, itself included, and about what left it.',
    },
  },
} as const

export type ListAudit = FromSchema<typeof listAuditSchema>

/** What has a name in the OpenAPI document. */
export const schemas = [auditRecordSchema, auditCheckpointSchema] as const
