import type { FromSchema } from 'json-schema-to-ts'
import { mappedSections, sectionNames } from '../../core/configuration-file.ts'

const instant = { type: 'string', format: 'date-time', examples: ['2026-11-20T09:30:00.000Z'] } as const
const kind = { type: 'string', description: 'The section of the file.', examples: ['groups'] } as const
const name = { type: 'string', description: 'The name, or the URL of a webhook.', examples: ['Support'] } as const
const count = (description: string) => ({ type: 'integer', minimum: 0, description }) as const

export const configurationChangeSchema = {
  $id: 'ConfigurationChange',
  type: 'object',
  description: 'What an apply does with one object.',
  additionalProperties: false,
  required: ['kind', 'name', 'action', 'drift', 'members'],
  properties: {
    kind: { ...kind, enum: sectionNames },
    name,
    action: {
      type: 'string',
      enum: ['create', 'update', 'delete', 'adopt', 'rename', 'release'],
      description:
        '`adopt`: the object exists, and no file managed it. `release`: an adopted object left the file; it stays, unmanaged.',
    },
    drift: { type: 'boolean', description: 'Whether the object was changed by hand since the last apply.' },
    members: {
      type: 'array',
      description: 'The members that change.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['pointer', 'before', 'after'],
        properties: {
          pointer: { type: 'string', examples: ['#/role'] },
          before: { description: 'The value before. Null: none.' },
          after: { description: 'The value after. Null: none.' },
          secret: { type: 'boolean', description: 'True: the value is a secret, which is not shown.' },
        },
      },
    },
  },
} as const

const changes = {
  type: 'array',
  description: 'In the order of the sections and names.',
  items: { $ref: 'ConfigurationChange#' },
} as const

const counts = {
  created: count('The number of objects created.'),
  updated: count('The number of objects changed.'),
  deleted: count('The number of objects deleted.'),
  adopted: count('The number of objects adopted.'),
  renamed: count('The number of objects renamed.'),
  released: count('The number of objects that stay and are no longer managed.'),
  drifted: count('The number of changes of objects that were changed by hand since the last apply.'),
  unchanged: count('The number of objects of the file that are as it says.'),
} as const

const countNames = ['created', 'updated', 'deleted', 'adopted', 'renamed', 'released', 'drifted', 'unchanged'] as const

export const configurationPlanSchema = {
  $id: 'ConfigurationPlan',
  type: 'object',
  description: 'What an apply changed, or would change.',
  additionalProperties: false,
  required: ['changes', ...countNames],
  properties: {
    changes,
    ...counts,
    secrets: {
      type: 'array',
      description: 'The secrets of what was created, which are shown only now. Missing in a dry run.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['kind', 'name', 'secret'],
        properties: { kind, name, secret: { type: 'string' } },
      },
    },
  },
} as const

export type ConfigurationPlan = FromSchema<
  typeof configurationPlanSchema,
  { references: [typeof configurationChangeSchema] }
>

type Mapped = 'policies' | 'branding'
const mapping = { type: 'object', additionalProperties: true } as const
const section = { type: 'array', items: mapping } as const

export const configurationSchema = {
  $id: 'Configuration',
  type: 'object',
  description:
    'The configuration as a file: `GET /configuration.schema.json` is its JSON Schema. Objects are known by their names, and members have the names of the API.',
  additionalProperties: false,
  required: ['version'],
  properties: {
    version: { type: 'integer', enum: [1] },
    generation: {
      type: 'integer',
      minimum: 0,
      description: 'A file with a lower number than the applied one is refused.',
    },
    ...(Object.fromEntries(
      sectionNames.map((one) => [one, mappedSections.includes(one) ? mapping : section]),
    ) as Record<Exclude<(typeof sectionNames)[number], Mapped>, typeof section> & Record<Mapped, typeof mapping>),
  },
} as const

export type Configuration = FromSchema<typeof configurationSchema>

export const configurationHistorySchema = {
  $id: 'ConfigurationHistory',
  type: 'object',
  description: 'The last applies, and what was changed by hand since.',
  additionalProperties: false,
  required: ['generation', 'managed', 'drift', 'applies'],
  properties: {
    generation: { type: ['integer', 'null'], description: 'The generation of the last file that had one.' },
    managed: count('How many objects a file manages.'),
    drift: {
      type: 'array',
      description: 'The managed objects that are not as the last apply left them.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['kind', 'name', 'deleted', 'members'],
        properties: {
          kind,
          name,
          deleted: { type: 'boolean', description: 'Whether the object was deleted.' },
          members: { type: 'array', items: { type: 'string' }, description: 'The names of the changed members.' },
        },
      },
    },
    applies: {
      type: 'array',
      description: 'The last 50 applies that changed something, the latest first.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['apply_id', 'applied_at', 'request_id', 'actor', 'source', 'generation', 'changes', ...countNames],
        properties: {
          apply_id: { type: 'string', format: 'uuid' },
          applied_at: instant,
          request_id: { type: 'string', description: 'The request id of its audit records.' },
          actor: {
            type: 'object',
            additionalProperties: false,
            required: ['kind', 'id'],
            properties: {
              kind: { type: 'string', description: '`system`: the file was applied at a start.' },
              id: { type: 'string' },
            },
          },
          source: { type: ['string', 'null'], description: 'What the apply said of itself, such as a commit.' },
          generation: { type: ['integer', 'null'] },
          changes,
          ...counts,
        },
      },
    },
  },
} as const

export type ConfigurationHistory = FromSchema<
  typeof configurationHistorySchema,
  { references: [typeof configurationChangeSchema] }
>

/** What has a name in the OpenAPI document. */
export const schemas = [
  configurationSchema,
  configurationChangeSchema,
  configurationPlanSchema,
  configurationHistorySchema,
] as const
