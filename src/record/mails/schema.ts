import type { FromSchema } from 'json-schema-to-ts'
import { languageTag, languageTagLength } from '../../lib/language-tags.ts'
import { mailKinds } from './kinds.ts'

const instant = { type: 'string', format: 'date-time' } as const
const nullableInstant = { type: ['string', 'null'], format: 'date-time' } as const

const statuses = ['waiting', 'held', 'sent', 'failed', 'cancelled'] as const

const kind = {
  type: 'string',
  enum: mailKinds,
  description: 'The kind of message.',
} as const

const locale = {
  type: 'string',
  pattern: languageTag.source,
  maxLength: languageTagLength,
  description: 'A language such as `en`, `de` or `pt-BR`.',
  examples: ['de'],
} as const

export const mailSchema = {
  $id: 'Mail',
  type: 'object',
  description: 'A message, without its content.',
  additionalProperties: false,
  required: [
    'mail_id',
    'kind',
    'user_id',
    'address',
    'locale',
    'status',
    'attempt_count',
    'next_attempt_at',
    'error',
    'response',
    'expires_at',
    'created_at',
    'finished_at',
  ],
  properties: {
    mail_id: { type: 'string', format: 'uuid', description: 'Also the first part of the `Message-ID`.' },
    kind,
    user_id: {
      type: ['string', 'null'],
      format: 'uuid',
      description: 'Null for a test message, and for a message to a person who is no user.',
    },
    address: { type: 'string', examples: ['ada@example.com'] },
    locale: { type: ['string', 'null'], description: "The user's language; null: the configured one." },
    status: {
      type: 'string',
      enum: statuses,
      description:
        '`waiting`: will be sent or retried at `next_attempt_at`; `held`: waited in a store that was restored, until you release or discard it; `sent`: the mail server has accepted it; `failed`: given up; `cancelled`: its link ended before it was sent, or it was discarded.',
    },
    attempt_count: { type: 'integer' },
    next_attempt_at: nullableInstant,
    error: {
      type: ['string', 'null'],
      description: 'Why the last attempt failed, in one word.',
      examples: ['rejected'],
    },
    response: { type: ['string', 'null'], description: 'The last response of the mail server.' },
    expires_at: { ...nullableInstant, description: 'When the link in it expires; null without a link.' },
    created_at: instant,
    finished_at: { ...nullableInstant, description: 'When it was sent, given up or cancelled.' },
  },
} as const

export type Mail = FromSchema<typeof mailSchema>

export const listMailsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    status: { type: 'string', enum: statuses, description: 'Only messages in this state.' },
    kind: { ...kind, description: 'Only messages of this kind.' },
    user_id: { type: 'string', maxLength: 64, description: 'Only messages to this user.' },
    address: { type: 'string', maxLength: 254, description: 'Only messages to this address.' },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      description: 'The maximum number of messages to return. Default: 100.',
    },
    cursor: { type: 'string', maxLength: 64, description: 'From the `Link` header of the previous page.' },
  },
} as const

export type ListMails = FromSchema<typeof listMailsSchema>

export const mailServerSchema = {
  $id: 'MailServer',
  type: 'object',
  description: 'Whether messages are sent, and what waits.',
  additionalProperties: false,
  required: ['configured', 'sender', 'failing_since', 'next_attempt_at', 'waiting', 'held', 'failed', 'locales'],
  properties: {
    configured: {
      type: 'boolean',
      description: 'Whether a mail server is set up, with `ROLLBOOK_SMTP_URL` and `ROLLBOOK_MAIL_FROM`.',
    },
    sender: { type: ['string', 'null'], examples: ['Orchard <no-reply@orchard.example.com>'] },
    failing_since: { ...nullableInstant, description: 'Since when the mail server accepts nothing; null: it does.' },
    next_attempt_at: {
      ...nullableInstant,
      description: 'While it accepts nothing: when the next message is tried. All others wait until one succeeds.',
    },
    waiting: { type: 'integer', description: 'The number of waiting messages.' },
    held: {
      type: 'integer',
      description: 'The number of messages held after a restore, until you release or discard them.',
    },
    failed: { type: 'integer', description: 'The number of messages given up within 30 days.' },
    locales: {
      type: 'array',
      items: { type: 'string' },
      description: 'The languages that messages can be sent in: the built-in ones, and those of your own templates.',
      examples: [['en', 'de', 'ar']],
    },
  },
} as const

export type MailServer = FromSchema<typeof mailServerSchema>

export const chooseMailsSchema = {
  $id: 'ChooseMails',
  type: 'object',
  additionalProperties: false,
  properties: {
    mail_ids: {
      type: 'array',
      minItems: 1,
      maxItems: 1000,
      uniqueItems: true,
      items: { type: 'string', format: 'uuid' },
      description: 'Only these of the held messages. Omitted: all of them.',
    },
  },
} as const

export type ChooseMails = FromSchema<typeof chooseMailsSchema>

export const releasedMailsSchema = {
  $id: 'ReleasedMails',
  type: 'object',
  additionalProperties: false,
  required: ['released'],
  properties: { released: { type: 'integer', description: 'How many held messages are sent now.' } },
} as const

export const discardedMailsSchema = {
  $id: 'DiscardedMails',
  type: 'object',
  additionalProperties: false,
  required: ['discarded'],
  properties: { discarded: { type: 'integer', description: 'How many held messages were given up.' } },
} as const

export const previewMailSchema = {
  $id: 'PreviewMail',
  type: 'object',
  additionalProperties: false,
  required: ['kind'],
  properties: { kind, locale },
} as const

export type PreviewMail = { kind: (typeof mailKinds)[number]; locale?: string }

export const mailPreviewSchema = {
  $id: 'MailPreview',
  type: 'object',
  description: 'A message as an invented user would get it. Its link leads nowhere.',
  additionalProperties: false,
  required: ['kind', 'locale', 'subject', 'text', 'html'],
  properties: {
    kind,
    locale: { type: 'string', description: 'The language of the template that was found.' },
    subject: { type: 'string' },
    text: { type: 'string' },
    html: { type: 'string' },
  },
} as const

export type MailPreview = FromSchema<typeof mailPreviewSchema>

export const testMailSchema = {
  $id: 'TestMail',
  type: 'object',
  additionalProperties: false,
  required: ['address'],
  properties: {
    address: { type: 'string', minLength: 3, maxLength: 254, examples: ['postmaster@example.com'] },
    locale,
  },
} as const

export type TestMail = FromSchema<typeof testMailSchema>

/** What has a name in the OpenAPI document. */
export const schemas = [
  mailSchema,
  mailServerSchema,
  previewMailSchema,
  chooseMailsSchema,
  discardedMailsSchema,
  releasedMailsSchema,
  mailPreviewSchema,
  testMailSchema,
] as const
