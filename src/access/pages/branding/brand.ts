/** Makes the look of pages and messages from the stored branding, and caches it. */
import { createHash } from 'node:crypto'
import {
  type Accent,
  type Brand,
  type BrandFile,
  type BrandImage,
  type BrandSource,
  plainBrand,
} from '../../../core/brand.ts'
import { readableOn, shaded } from '../../../lib/contrast.ts'
import { productMark } from '../../../lib/product-mark.ts'
import { freshValue } from '../../../store/fresh-value.ts'
import type { Storage } from '../../../store/storage/storage.ts'
import { contentOf, findStored, type Stored, unset, withProduct } from './branding.ts'
import { darkGrounds } from './grounds.ts'
import { brandingMembers } from './schema.ts'
import { hasOthers } from './store.ts'

/** How many organizations are remembered; the look of others is read when a page of theirs is opened. */
const rememberedOrganizations = 200
/** As for the product: other nodes are not notified. */
const freshMs = 500

type Remembered = { at: number; reading: Promise<Brand>; brand?: Brand }

export function brandSource(storage: Pick<Storage, 'db' | 'onAnnouncement'>, productName: string): BrandSource {
  let last = plainBrand(productName)
  let product: Stored = unset
  let others = new Map<string, Remembered>()
  const fresh = freshValue(storage, {
    changedBy: 'branding_changed',
    async read() {
      const [{ stored, version, updated_at }, areThereOthers] = await Promise.all([
        findStored(storage.db),
        hasOthers(storage.db),
      ])
      const tag = updated_at === null ? '' : `${version} ${updated_at}`
      if (tag !== last.tag) last = tag === '' ? plainBrand(productName) : brandOf(stored, { productName, tag })
      product = stored
      return { brand: last, areThereOthers }
    },
  })
  storage.onAnnouncement(({ kind }) => {
    if (kind === 'branding_changed' || kind === 'forget') others = new Map()
  })

  async function readOther(organization_id: string, before: Brand | undefined): Promise<Brand> {
    const { brand } = await fresh.current()
    const { stored, version, updated_at } = await findStored(storage.db, organization_id)
    const isUnset = brandingMembers.every((member) => stored[member] === null)
    if (updated_at === null || isUnset) return brand
    const tag = `${organization_id} ${version} ${updated_at} ${brand.tag}`
    return before?.tag === tag ? before : brandOf(withProduct(stored, product), { productName, tag, organization_id })
  }

  /** Reads it again after half a second. A failure is not remembered. */
  async function currentOther(organizationId: string): Promise<Brand> {
    const found = others.get(organizationId)
    if (found !== undefined && performance.now() - found.at < freshMs) return found.reading
    const before = await found?.reading.catch(() => undefined)
    const remembered: Remembered = { at: performance.now(), reading: readOther(organizationId, before) }
    if (before !== undefined) remembered.brand = before
    const own = others
    own.delete(organizationId)
    own.set(organizationId, remembered)
    const [oldest] = own.keys()
    if (own.size > rememberedOrganizations && oldest !== undefined) own.delete(oldest)
    remembered.reading.then(
      (brand) => {
        remembered.brand = brand
      },
      () => own.delete(organizationId),
    )
    return remembered.reading
  }

  return {
    async current(organizationId) {
      const { brand, areThereOthers } = await fresh.current()
      return organizationId === undefined || !areThereOthers ? brand : currentOther(organizationId)
    },
    async areThereOthers() {
      return (await fresh.current()).areThereOthers
    },
    known(organizationId) {
      // A failure is reported to the next page that waits for the store.
      if (fresh.ifRead() === undefined) void fresh.current()
      return others.get(organizationId ?? '')?.brand ?? last
    },
  }
}

type Making = { productName: string; tag: string; organization_id?: string }

export function brandOf(stored: Stored, { productName, tag, organization_id }: Making): Brand {
  const accent = stored.accent_color === null ? undefined : accentOf(stored.accent_color)
  const name = stored.name ?? productName
  const hasOwnMark = accent !== undefined || stored.name !== null
  const owned = <File extends BrandFile>(file: File | undefined) =>
    file && (organization_id === undefined ? file : { ...file, organization_id })
  return {
    tag,
    name,
    logo: owned(imageOf('logo', stored.logo, stored.sizes.logo)),
    logoDark: owned(imageOf('logo-dark', stored.logo_dark, stored.sizes.logo_dark)),
    mark: owned(hasOwnMark ? fileOf('mark.svg', 'image/svg+xml', productMark(name, accent?.action)) : undefined),
    sheet: owned(accent && fileOf('accent.css', 'text/css; charset=utf-8', sheetOf(accent))),
    accent,
    links: {
      terms: stored.terms_url ?? undefined,
      privacy: stored.privacy_url ?? undefined,
      support: stored.support_url ?? undefined,
    },
  }
}

function accentOf(colour: string): Accent {
  // A dark colour cannot become much darker under the pointer.
  const actionHover = shaded(colour, -0.08) === shaded(colour, -1) ? shaded(colour, 0.12) : shaded(colour, -0.08)
  return { light: colour, dark: readableOn(darkGrounds, colour), action: colour, actionHover }
}

function sheetOf({ light, dark, action, actionHover }: Accent): string {
  return `:root {
  --accent: ${light};
  --action: ${action};
  --action-strong: ${actionHover};
}

@media (prefers-color-scheme: dark) {
  :root {
    --accent: ${dark};
  }
}
`
}

function imageOf(
  name: string,
  dataUrl: string | null,
  size: readonly [number, number] | undefined,
): BrandImage | undefined {
  if (dataUrl === null || size === undefined) return undefined
  const isPng = dataUrl.startsWith('data:image/png')
  const file = fileOf(`${name}.${isPng ? 'png' : 'svg'}`, isPng ? 'image/png' : 'image/svg+xml', contentOf(dataUrl))
  return { ...file, width: size[0], height: size[1] }
}

function fileOf(name: string, type: string, body: string | Buffer): BrandFile {
  const content = Buffer.from(body as string)
  return { name, type, content, hash: createHash('sha256').update(content).digest('base64url').slice(0, 16) }
}
