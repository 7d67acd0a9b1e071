/** The rules of the branding: one for the product, and one for each organization that has its own, replaced as a whole. What may be in it decides input.ts. */
import { createHash } from 'node:crypto'
import { type ExpectedVersion, refuseUnexpected } from '../../../core/expected-version.ts'
import {
  getOrganization,
  holdOrganization,
  refuseUnknownOrganization,
} from '../../../directory/organizations/service.ts'
import { timestamp } from '../../../lib/instant.ts'
import { changesOf } from '../../../record/journal/service.ts'
import type { ChangeContext, Context } from '../../../store/context.ts'
import type { Db } from '../../../store/db/db.ts'
import type { Target } from '../../../store/journal-entry.ts'
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
export async function findStored(db: Db, of = store.scope): Promise<Found> {
  const row = await store.findBranding(db, of)
  if (row === undefined) return { stored: unset, version: 1, updated_at: null, managed_by: null }
  const { document, version, updated_at, managed_by } = row
  return { stored: JSON.parse(document) as Stored, version, updated_at, managed_by }
}

type Shown = Pick<Found, 'stored' | 'updated_at' | 'managed_by'>

export function toBranding({ stored: { sizes: _, ...settings }, updated_at, managed_by }: Shown): Branding {
  return { ...settings, updated_at, ...(managed_by === byFile && { managed_by }) }
}

/** @throws AppError `organization_not_found` */
export async function get({ db }: Pick<Context, 'db'>, organizationId?: string): Promise<Versioned> {
  if (organizationId !== undefined) await getOrganization(db, organizationId)
  const found = await findStored(db, organizationId)
  return { branding: toBranding(found), version: found.version }
}

type Replacement = {
  /** Missing: the product's. */
  organization_id?: string
  stored: Stored
  expected: ExpectedVersion
  override?: boolean
}

/** @throws AppError `organization_not_found`, `precondition_failed`, `managed_elsewhere` */
export async function replace(
  ctx: ChangeContext,
  { organization_id, stored, expected, override }: Replacement,
): Promise<Versioned> {
  const of = organization_id ?? store.scope
  // Held, so that it is not deleted meanwhile.
  const organization = organization_id === undefined ? undefined : await holdOrganization(ctx.db, organization_id)
  // Two nodes may write the first row at the same time.
  await ctx.db.lock([`branding${organization_id === undefined ? '' : ` ${organization_id}`}`])
  const found = await findStored(ctx.db, of)
  refuseUnexpected('branding', found, expected)
  const changes = changesOf(recordable(found.stored), recordable(stored), brandingMembers)
  const changed = Object.keys(changes)
  refuseManagedByFile(ctx, 'branding', found, { override, changed })
  const beside = overrideDetails(ctx, found, override)
  const target: Target =
    organization === undefined
      ? { kind: 'branding', id: of }
      : { kind: 'organization', id: of, name: organization.name, organization_id: of }
  ctx.record({ action: 'branding.updated', target, changes, ...beside })
  const managed_by = ctx.byFile ? byFile : found.managed_by
  if (changed.length === 0 && managed_by === found.managed_by) {
    return { branding: toBranding(found), version: found.version }
  }
  const [version, updated_at] = [found.version + 1, timestamp(ctx.now)]
  await store.writeBranding(ctx.db, { scope: of, version, document: JSON.stringify(stored), updated_at, managed_by })
  const { logo, logo_dark, sizes: _, ...others } = stored
  const owner = organization_id === undefined ? {} : { organization_id }
  const data = { ...owner, ...others, logo_sha256: digestOf(logo), logo_dark_sha256: digestOf(logo_dark), updated_at }
  ctx.emit({ type: 'branding.updated', subject: of, owner_id: 'branding', data: JSON.stringify(data) })
  ctx.announce({ kind: 'branding_changed' })
  return { branding: toBranding({ stored, updated_at, managed_by }), version }
}

/** The organization looks like the product again. */
export async function reset(
  ctx: ChangeContext,
  { organization_id, expected }: { organization_id: string; expected: ExpectedVersion },
): Promise<{ organization_id: string }> {
  // The row stays, so that its version never has the same number twice.
  await replace(ctx, { organization_id, stored: unset, expected })
  return { organization_id }
}

/**
 * What an organization leaves out is the product's. Its own logo is not mixed with the product's for dark ground.
 */
export function withProduct(own: Stored, product: Stored): Stored {
  const chosen = Object.entries(own).filter(([, value]) => value !== null)
  const merged: Stored = { ...product, ...Object.fromEntries(chosen) }
  if (own.logo !== null) return { ...merged, logo_dark: own.logo_dark, sizes: own.sizes }
  return { ...merged, sizes: { ...product.sizes, ...own.sizes } }
}

/** Returns a look of an organization with what it leaves out. @throws AppError `validation_failed` */
export async function asOfOrganization(db: Db, organizationId: string, own: Stored): Promise<Stored> {
  await refuseUnknownOrganization(db, organizationId)
  const { stored: product } = await findStored(db)
  return withProduct(own, product)
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
