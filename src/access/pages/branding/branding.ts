/** The rules of the branding: one for the product, replaced as a whole. What may be in it decides input.ts. */
import { createHash } from 'node:crypto'
import { type ExpectedVersion, refuseUnexpected } from '../../../core/expected-version.ts'
import { timestamp } from '../../../lib/instant.ts'
import { changesOf } from '../../../record/journal/service.ts'
import type { ChangeContext, Context } from '../../../store/context.ts'
import type { Db } from '../../../store/db/db.ts'
import { byFile, overrideDetails, refuseManagedByFile } from '../../../store/managed-by-file.ts'
import { type Branding, type BrandingSettings, brandingMembers } from './schema.ts'
import * as store from './store.ts'

/** What the store holds: clean logos, and their sizes. */
export type Stored = BrandingSettings & {
  sizes: { logo?: readonly [width: number, height: number]; logo_dark?: readonly [width: number, height: number] }
}

export type Versioned = { branding: Branding; version: number }

export const unset: Stored = {
  name: null,
  logo: null,
  logo_dark: null,
  accent_color: null,
  terms_url: null,
  privacy_url: null,
  support_url: null,
  sizes: {},
}

type Found = { stored: Stored; version: number; updated_at: string | null; managed_by: string | null }

/** Without a row it is the first version, with every member null. */
export async function findStored(db: Db): Promise<Found> {
  const row = await store.findBranding(db)
  if (row === undefined) return { stored: unset, version: 1, updated_at: null, managed_by: null }
  const { document, version, updated_at, managed_by } = row
  return { stored: JSON.parse(document) as Stored, version, updated_at, managed_by }
}

type Shown = Pick<Found, 'stored' | 'updated_at' | 'managed_by'>

export function toBranding({ stored: { sizes: _, ...settings }, updated_at, managed_by }: Shown): Branding {
  return { ...settings, updated_at, ...(managed_by === byFile && { managed_by }) }
}

export async function get({ db }: Pick<Context, 'db'>): Promise<Versioned> {
  const found = await findStored(db)
  return { branding: toBranding(found), version: found.version }
}

type Replacement = { stored: Stored; expected: ExpectedVersion; override?: boolean }

/** @throws AppError `precondition_failed`, `managed_elsewhere` */
export async function replace(ctx: ChangeContext, { stored, expected, override }: Replacement): Promise<Versioned> {
  // Two nodes may write the first row at the same time.
  await ctx.db.lock(['branding'])
  const found = await findStored(ctx.db)
  refuseUnexpected('branding', found, expected)
  const changes = changesOf(recordable(found.stored), recordable(stored), brandingMembers)
  const changed = Object.keys(changes)
  refuseManagedByFile(ctx, 'branding', found, { override, changed })
  const beside = overrideDetails(ctx, found, override)
  ctx.record({ action: 'branding.updated', target: { kind: 'branding', id: store.scope }, changes, ...beside })
  const managed_by = ctx.byFile ? byFile : found.managed_by
  if (changed.length === 0 && managed_by === found.managed_by) {
    return { branding: toBranding(found), version: found.version }
  }
  const [version, updated_at] = [found.version + 1, timestamp(ctx.now)]
  await store.writeBranding(ctx.db, { version, document: JSON.stringify(stored), updated_at, managed_by })
  const { logo, logo_dark, sizes: _, ...others } = stored
  const data = { ...others, logo_sha256: digestOf(logo), logo_dark_sha256: digestOf(logo_dark), updated_at }
  ctx.emit({ type: 'branding.updated', subject: store.scope, owner_id: 'branding', data: JSON.stringify(data) })
  ctx.announce({ kind: 'branding_changed' })
  return { branding: toBranding({ stored, updated_at, managed_by }), version }
}

/** An audit record has room for the digest of a logo, not for the logo. */
export function recordable<T extends Pick<BrandingSettings, 'logo' | 'logo_dark'>>({ logo, logo_dark, ...rest }: T) {
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
