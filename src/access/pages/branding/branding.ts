/** The rules of the branding: one for the product, replaced as a whole. What may be in it decides input.ts. */
import { createHash } from 'node:crypto'
import { type ExpectedVersion, refuseUnexpected } from '../../../core/expected-version.ts'
import { timestamp } from '../../../lib/instant.ts'
import { changesOf } from '../../../record/journal/service.ts'
import type { ChangeContext, Context } from '../../../store/context.ts'
import type { Db } from '../../../store/db/db.ts'
import { type Branding, type BrandingSettings, brandingMembers } from './schema.ts'
import * as store from './store.ts'

/** What the store holds: clean logos, and their sizes. */
export type Stored = BrandingSettings & {
  sizes: { logo?: readonly [width: number, height: number]; logo_dark?: readonly [width: number, height: number] }
}

export type Versioned = { branding: Branding; version: number }

const unset: Stored = {
  name: null,
  logo: null,
  logo_dark: null,
  accent_color: null,
  terms_url: null,
  privacy_url: null,
  support_url: null,
  sizes: {},
}

type Found = { stored: Stored; version: number; updated_at: string | null }

/** Without a row it is the first version, with every member null. */
export async function findStored(db: Db): Promise<Found> {
  const row = await store.findBranding(db)
  if (row === undefined) return { stored: unset, version: 1, updated_at: null }
  return { stored: JSON.parse(row.document) as Stored, version: row.version, updated_at: row.updated_at }
}

export function toBranding({ sizes: _, ...settings }: Stored, updated_at: string | null): Branding {
  return { ...settings, updated_at }
}

export async function get({ db }: Pick<Context, 'db'>): Promise<Versioned> {
  const { stored, version, updated_at } = await findStored(db)
  return { branding: toBranding(stored, updated_at), version }
}

type Replacement = { stored: Stored; expected: ExpectedVersion }

/** @throws AppError `precondition_failed` */
export async function replace(ctx: ChangeContext, { stored, expected }: Replacement): Promise<Versioned> {
  // Two nodes may write the first row at the same time.
  await ctx.db.lock(['branding'])
  const found = await findStored(ctx.db)
  refuseUnexpected('branding', found, expected)
  const changes = changesOf(recordable(found.stored), recordable(stored), brandingMembers)
  ctx.record({ action: 'branding.updated', target: { kind: 'branding', id: 'product' }, changes })
  if (Object.keys(changes).length === 0) {
    return { branding: toBranding(found.stored, found.updated_at), version: found.version }
  }
  const [version, updated_at] = [found.version + 1, timestamp(ctx.now)]
  await store.writeBranding(ctx.db, { version, document: JSON.stringify(stored), updated_at })
  const { logo, logo_dark, sizes: _, ...others } = stored
  const data = { ...others, logo_sha256: digestOf(logo), logo_dark_sha256: digestOf(logo_dark), updated_at }
  ctx.emit({ type: 'branding.updated', subject: 'product', owner_id: 'branding', data: JSON.stringify(data) })
  ctx.announce({ kind: 'branding_changed' })
  return { branding: toBranding(stored, updated_at), version }
}

/** An audit record has room for the digest of a logo, not for the logo. */
function recordable({ logo, logo_dark, ...rest }: Stored) {
  const marked = (url: string | null) => (url === null ? null : `sha256:${digestOf(url)}`)
  return { ...rest, logo: marked(logo), logo_dark: marked(logo_dark) }
}

function digestOf(dataUrl: string | null): string | null {
  return dataUrl === null ? null : createHash('sha256').update(contentOf(dataUrl)).digest('hex')
}

/** The bytes of a stored logo, whose data URL is always in base64. */
export function contentOf(dataUrl: string): Buffer {
  return Buffer.from(dataUrl.slice(dataUrl.indexOf(',') + 1), 'base64')
}
