import { managedByFileMember } from '../../../store/managed-by-file.ts'
import { mostUrlCharacters } from './images/logo.ts'

const name = {
  type: ['string', 'null'],
  minLength: 1,
  maxLength: 64,
  description: 'The name of the product on pages and in messages. Null: `ROLLBOOK_PRODUCT_NAME`.',
  examples: ['Acme Reports'],
} as const
const logoOf = (what: string) =>
  ({
    type: ['string', 'null'],
    minLength: 1,
    maxLength: mostUrlCharacters,
    description: what,
    examples: [
      'data:image/svg+xml,%3Csvg%20viewBox%3D%220%200%208%208%22%3E%3Cpath%20d%3D%22M0%200h8v8z%22%2F%3E%3C%2Fsvg%3E',
    ],
  }) as const
const logo = logoOf(
  'A data URL of an SVG, or of a PNG with up to 4,096 pixels on a side; at most 64 KiB. Of an SVG only shapes, paths, gradients, clips and masks are stored; texts, pictures, scripts and style sheets are left out.',
)
const logoDark = logoOf('The logo for dark ground. Null: `logo` is used there, too.')
const accentColor = {
  type: ['string', 'null'],
  pattern: '^#[0-9a-fA-F]{6}$',
  description:
    'The colour of buttons and links. Its contrast with the light pages must be at least 4.5:1 (WCAG 2.2); on dark pages links have the nearest colour of the same hue that has as much.',
  examples: ['#7a1f5c'],
} as const
const urlOf = (what: string, also = '') =>
  ({
    type: ['string', 'null'],
    minLength: 1,
    maxLength: 2048,
    description: `${what} An https URL${also}.`,
    examples: ['https://www.example.com/terms'],
  }) as const
const updatedAt = {
  type: ['string', 'null'],
  format: 'date-time',
  description: 'When the branding was changed last. Null: never.',
  examples: ['2026-11-20T09:30:00.000Z'],
} as const

const members = {
  name,
  logo,
  logo_dark: logoDark,
  accent_color: accentColor,
  terms_url: urlOf('The terms of use.'),
  privacy_url: urlOf('The privacy notice.'),
  support_url: urlOf('Where users get help.', ' or a `mailto:` address'),
} as const

export const brandingMembers = Object.keys(members) as (keyof BrandingSettings)[]

/** A branding in a configuration file. */
export const brandingSettingsSchema = { type: 'object', additionalProperties: false, properties: members } as const

export const brandingSchema = {
  $id: 'Branding',
  type: 'object',
  description:
    'The look of the sign-in pages, the pages behind links, the account page and messages. A member that is null has its default.',
  additionalProperties: false,
  required: [...Object.keys(members), 'updated_at'],
  properties: { ...members, updated_at: updatedAt, managed_by: managedByFileMember },
} as const

export type BrandingSettings = {
  name: string | null
  logo: string | null
  logo_dark: string | null
  accent_color: string | null
  terms_url: string | null
  privacy_url: string | null
  support_url: string | null
}
export type Branding = BrandingSettings & { updated_at: string | null; managed_by?: 'file' }

const ignored = 'Ignored, so that what was read can be sent back.'

export const setBrandingSchema = {
  $id: 'SetBranding',
  type: 'object',
  description: 'The whole branding: a member that is left out gets its default.',
  additionalProperties: false,
  properties: {
    ...members,
    updated_at: { ...updatedAt, description: ignored },
    managed_by: { ...managedByFileMember, description: ignored },
  },
} as const

export type SetBranding = Partial<Branding>

export const deletedBrandingSchema = {
  $id: 'ConfirmationOfBrandingDeletion',
  type: 'object',
  additionalProperties: false,
  required: ['organization_id', 'deleted'],
  properties: {
    organization_id: { type: 'string', format: 'uuid' },
    deleted: { type: 'boolean', description: 'False only in a dry run.' },
  },
} as const

export const previewBrandingSchema = {
  $id: 'PreviewBranding',
  type: 'object',
  additionalProperties: false,
  required: ['branding'],
  properties: {
    branding: { $ref: 'SetBranding#' },
    locale: {
      type: 'string',
      minLength: 2,
      maxLength: 35,
      description: 'The language of the page and the message.',
      examples: ['de'],
    },
    organization_id: {
      type: 'string',
      minLength: 1,
      maxLength: 64,
      description:
        'The organization whose look it would be: what it leaves out is then that of the product. Default: it is the look of the product.',
      examples: ['019a9f3e-0000-7000-8000-000000000000'],
    },
  },
} as const

export type PreviewBranding = { branding: SetBranding; locale?: string; organization_id?: string }

export const brandingPreviewSchema = {
  $id: 'BrandingPreview',
  type: 'object',
  additionalProperties: false,
  required: ['branding', 'left_out', 'contrast', 'page', 'subject', 'text', 'html'],
  properties: {
    branding: {
      $ref: 'Branding#',
      description:
        'As it would be stored. An accent colour with too little contrast is replaced with the nearest one that has enough.',
    },
    left_out: {
      type: 'array',
      description: 'What of an SVG would not be stored and may have been visible.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['member', 'names'],
        properties: {
          member: { type: 'string', enum: ['logo', 'logo_dark'] },
          names: { type: 'array', items: { type: 'string' }, examples: [['script', 'text']] },
        },
      },
    },
    contrast: {
      type: ['number', 'null'],
      description:
        'The contrast of the accent colour that was sent with the light pages, from 1 to 21. Null: none was sent.',
      examples: [5.9],
    },
    page: { type: 'string', description: 'The sign-in page in HTML, with its pictures inside.' },
    subject: { type: 'string', description: 'The subject of an invitation.' },
    text: { type: 'string' },
    html: { type: 'string', description: 'The message in HTML, with its pictures inside.' },
  },
} as const

export type BrandingPreview = {
  branding: Branding
  left_out: { member: 'logo' | 'logo_dark'; names: string[] }[]
  contrast: number | null
  page: string
  subject: string
  text: string
  html: string
}

const { updated_at, name: nameMember, accent_color, terms_url, privacy_url, support_url } = brandingSchema.properties

const brandingEventSchema = {
  $id: 'BrandingEventV1',
  description: '`data` of the event `branding.updated`: the branding, with digests of the logos instead of the logos.',
  type: 'object',
  required: [
    'name',
    'logo_sha256',
    'logo_dark_sha256',
    'accent_color',
    'terms_url',
    'privacy_url',
    'support_url',
    'updated_at',
  ],
  properties: {
    organization_id: {
      type: 'string',
      format: 'uuid',
      description: 'The organization whose look it is. Missing: it is that of the product.',
    },
    name: nameMember,
    logo_sha256: { type: ['string', 'null'], description: 'SHA-256 of the logo as it is served, in hexadecimal.' },
    logo_dark_sha256: { type: ['string', 'null'] },
    accent_color,
    terms_url,
    privacy_url,
    support_url,
    updated_at,
  },
} as const

/** What has a name in the OpenAPI document. */
export const schemas = [
  brandingSchema,
  setBrandingSchema,
  deletedBrandingSchema,
  previewBrandingSchema,
  brandingPreviewSchema,
  brandingEventSchema,
] as const
