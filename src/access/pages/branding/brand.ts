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
import { contentOf, findStored, type Stored } from './branding.ts'
import { darkGrounds } from './grounds.ts'

export function brandSource(storage: Pick<Storage, 'db' | 'onAnnouncement'>, productName: string): BrandSource {
  let last = plainBrand(productName)
  const fresh = freshValue(storage, {
    changedBy: 'branding_changed',
    async read() {
      const { stored, version, updated_at } = await findStored(storage.db)
      const tag = updated_at === null ? '' : `${version} ${updated_at}`
      if (tag !== last.tag) last = tag === '' ? plainBrand(productName) : brandOf(stored, { productName, tag })
      return last
    },
  })
  return {
    current: fresh.current,
    known() {
      // A failure is reported to the next page that waits for the store.
      if (fresh.ifRead() === undefined) void fresh.current()
      return last
    },
  }
}

export function brandOf(stored: Stored, { productName, tag }: { productName: string; tag: string }): Brand {
  const accent = stored.accent_color === null ? undefined : accentOf(stored.accent_color)
  const name = stored.name ?? productName
  const hasOwnMark = accent !== undefined || stored.name !== null
  return {
    tag,
    name,
    logo: imageOf('logo', stored.logo, stored.sizes.logo),
    logoDark: imageOf('logo-dark', stored.logo_dark, stored.sizes.logo_dark),
    mark: hasOwnMark ? fileOf('mark.svg', 'image/svg+xml', productMark(name, accent?.action)) : undefined,
    sheet: accent && fileOf('accent.css', 'text/css; charset=utf-8', sheetOf(accent)),
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
