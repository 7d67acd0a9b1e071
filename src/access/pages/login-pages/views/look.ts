/** The look of the product on the pages: logo, colours, and the links at the foot. */
import type { Brand, BrandFile, BrandImage, BrandLinks } from '../../../../core/brand.ts'
import { type Html, html } from '../../../../lib/html.ts'
import type { Texts } from '../../page-texts/service.ts'

type Picture = { src: string; width: number; height: number }

/** Undefined members have their default. */
export type Look = {
  logo: (Picture & { dark: Picture | undefined; hasName: boolean }) | undefined
  mark: string | undefined
  icon: { type: string; href: string } | undefined
  styles: Html | undefined
  links: BrandLinks
}

/** From this ratio on a logo is taken for the name of the product, and stands alone; others stand beside the name. */
const wordmarkRatio = 2
/** On a page, in CSS pixels. */
const [logoHeight, widestLogo] = [44, 264]

/** @param styles instead of a link to the style sheet */
export function lookOf(brand: Brand, addressOf: (file: BrandFile) => string, styles?: Html): Look | undefined {
  if (brand.tag === '') return undefined
  const { logo, logoDark, mark, sheet, links } = brand
  const hasName = logo !== undefined && logo.width / logo.height >= wordmarkRatio
  const icon = logo !== undefined && !hasName ? logo : mark
  return {
    logo: logo && { ...pictureOf(logo, addressOf), dark: logoDark && pictureOf(logoDark, addressOf), hasName },
    mark: mark && addressOf(mark),
    icon: icon && { type: icon.type, href: addressOf(icon) },
    styles: styles ?? (sheet && html`<link rel="stylesheet" href="${addressOf(sheet)}">\n`),
    links,
  }
}

/** The addresses of the files from a page that is `up` from the pages' folder. */
export function servedFrom(up: string): (file: BrandFile) => string {
  return ({ organization_id, hash, name }) => {
    const folder = organization_id === undefined ? '' : `${organization_id}/`
    return `${up}branding/${folder}${hash}/${name}`
  }
}

function pictureOf(image: BrandImage, addressOf: (file: BrandFile) => string): Picture {
  const scale = Math.min(logoHeight / image.height, widestLogo / image.width)
  return {
    src: addressOf(image),
    width: Math.max(1, Math.round(image.width * scale)),
    height: Math.max(1, Math.round(image.height * scale)),
  }
}

type Framed = { productName: string; assets: string; look?: Look | undefined; t: Texts }

export function iconLink({ assets, look }: Framed): Html {
  const { type, href } = look?.icon ?? { type: 'image/svg+xml', href: `${assets}/mark.svg` }
  return html`<link rel="icon" type="${type}" href="${href}">`
}

/** The logo, or the mark, with the name of the product unless the logo is the name. */
export function productLine({ productName, assets, look }: Framed): Html {
  const logo = look?.logo
  if (logo === undefined) {
    const src = look?.mark ?? `${assets}/mark.svg`
    return html`<p class="product"><img src="${src}" alt="" width="40" height="40"> <bdi>${productName}</bdi></p>`
  }
  const { dark } = logo
  const source =
    dark &&
    html`<source media="(prefers-color-scheme: dark)" srcset="${dark.src}" width="${String(dark.width)}" height="${String(dark.height)}">`
  const image = html`<img class="logo" src="${logo.src}" alt="${logo.hasName ? productName : ''}" width="${String(logo.width)}" height="${String(logo.height)}">`
  return html`<p class="product"><picture>${source}${image}</picture>${logo.hasName ? '' : html` <bdi>${productName}</bdi>`}</p>`
}

/** What stands below the page: its languages, and the product's terms, privacy notice and help. */
export function foot({ look, t }: Framed, languages: Html): Html {
  const { terms, privacy, support } = look?.links ?? {}
  const links = [
    { href: terms, text: t.page.terms },
    { href: privacy, text: t.page.privacy },
    { href: support, text: t.page.support },
  ].flatMap(({ href, text }) => (href === undefined ? [] : [html`<li><a href="${href}">${text}</a></li>\n`]))
  if (links.length === 0) return languages
  return html`<footer>
${languages}<ul class="languages small">
${links.reduce((before, link) => html`${before}${link}`, html``)}</ul>
</footer>
`
}
