import type { InactivityRule } from '../../core/inactivity.ts'
import { inactivitySchema } from '../policies/schema.ts'

const instant = { type: 'string', format: 'date-time' } as const
const nullableInstant = { type: ['string', 'null'], format: 'date-time' } as const
const count = { type: 'integer', minimum: 0 } as const

export const inactivityStopSchema = {
  $id: 'InactivityStop',
  type: 'object',
  description: 'A run that would disable more than 5 % of the active users, and more than 10.',
  additionalProperties: false,
  required: ['stopped_at', 'users', 'active_users', 'confirmed_at'],
  properties: {
    stopped_at: instant,
    users: { ...count, description: 'How many users it would disable.' },
    active_users: count,
    confirmed_at: { ...nullableInstant, description: 'Null: it waits for `POST /inactivity/confirmation`.' },
  },
} as const

export type InactivityStop = {
  stopped_at: string
  users: number
  active_users: number
  confirmed_at: string | null
}

export const previewInactivitySchema = {
  $id: 'PreviewInactivity',
  type: 'object',
  description: 'A rule that need not be saved. Without `inactivity`: the rule in force.',
  additionalProperties: false,
  properties: {
    inactivity: inactivitySchema,
    until: { ...instant, description: 'How far to look. Default: as many days as the longest notice from now.' },
    limit: { type: 'integer', minimum: 1, maximum: 10000, default: 100, description: 'How many users are listed.' },
  },
} as const

export type PreviewInactivity = { inactivity?: InactivityRule | null; until?: string; limit?: number }

export const inactivityPreviewSchema = {
  $id: 'InactivityPreview',
  type: 'object',
  description: 'Who is disabled, and when, if they do not use their access.',
  additionalProperties: false,
  required: ['inactivity', 'until', 'users', 'total', 'active_users', 'largest_run', 'stops', 'spared', 'stopped'],
  properties: {
    inactivity: inactivitySchema,
    until: instant,
    users: {
      type: 'array',
      description: 'In the order in which they are disabled.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['user_id', 'username', 'last_used_at', 'noticed', 'notice_at', 'disable_at'],
        properties: {
          user_id: { type: 'string', format: 'uuid' },
          username: { type: 'string' },
          last_used_at: {
            ...nullableInstant,
            description: 'The last sign-in, or use of a session, key or access token. Null: never.',
          },
          noticed: { type: 'boolean', description: 'Whether they have been told.' },
          notice_at: { ...instant, description: 'When they were or will be told.' },
          disable_at: { ...instant, description: 'A run within the hour after it disables them.' },
        },
      },
    },
    total: { ...count, description: 'How many users are disabled until then, listed or not.' },
    active_users: count,
    largest_run: { ...count, description: 'The most users whom one run would disable.' },
    stops: { type: 'boolean', description: 'Whether such a run would stop and wait for a confirmation.' },
    spared: {
      type: ['object', 'null'],
      description: 'The administrator who stays because there would be no other.',
      additionalProperties: false,
      required: ['user_id', 'username'],
      properties: { user_id: { type: 'string', format: 'uuid' }, username: { type: 'string' } },
    },
    stopped: { anyOf: [{ $ref: 'InactivityStop#' }, { type: 'null' }], description: 'The run that waits now.' },
  },
} as const

export type InactivityPreview = {
  inactivity: InactivityRule | null
  until: string
  users: {
    user_id: string
    username: string
    last_used_at: string | null
    noticed: boolean
    notice_at: string
    disable_at: string
  }[]
  total: number
  active_users: number
  largest_run: number
  stops: boolean
  spared: { user_id: string; username: string } | null
  stopped: InactivityStop | null
}

/** What has a name in the OpenAPI document. */
export const schemas = [inactivityStopSchema, previewInactivitySchema, inactivityPreviewSchema] as const
