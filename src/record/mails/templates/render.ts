/** Renders the subject, the text and the HTML of a message from its template. The HTML loads nothing from elsewhere. */
import type { Brand, BrandImage } from '../../../core/brand.ts'
import type { Value } from '../kinds.ts'
import { footWords } from './foot.ts'
import type { Block, Template } from './template.ts'

export type Values = Partial<Record<Value, string>>
/** A picture in the message (RFC 2392). */
export type Embedded = { cid: string; type: string; name: string; content: Buffer }
export type Rendered = { subject: string; text: string; html: string; locale: string; images: readonly Embedded[] }
/** One of several notices, with its own values. */
export type Gathered = { text: string; values: Values; count: number }

const rightToLeft = new Set(['ar', 'fa', 'he', 'ur'])

type Options = {
  locale: string
  brand: Brand
  /** What the block `{{notices}}` lists. */
  notices?: readonly Gathered[]
}

export function render(template: Template, values: Values, { locale, brand, notices = [] }: Options): Rendered {
  const context = { values, notices, accent: brand.accent?.action ?? usualAccent }
  const images = imagesOf(brand)
  return {
    subject: oneLine(filled(template.subject, values)),
    text: `${[...template.blocks.map((block) => textOf(block, context)), ...footText(brand, locale)].join('\n\n')}\n`,
    html: page(template.blocks.map((block) => htmlOf(block, context)).join('\n'), {
      locale,
      title: filled(template.subject, values),
      preheader: filled(summaryOf(template), values),
      rules: images.length > 1 ? `${darkRules}\n${darkLogoRules}` : darkRules,
      head: headOf(brand, images),
      foot: footOf(brand, locale),
    }),
    locale,
    images,
  }
}

/** Mail programs show no SVG, so a logo is in the message only as a PNG; the one for dark ground only beside it. */
function imagesOf({ logo, logoDark }: Brand): Embedded[] {
  const isShown = (image: BrandImage | undefined) => image?.type === 'image/png'
  if (logo === undefined || !isShown(logo)) return []
  const embedded = logoDark !== undefined && isShown(logoDark) ? [logo, logoDark] : [logo]
  return embedded.map(({ name, type, hash, content }) => ({ cid: `${hash}@branding`, type, name, content }))
}

/** The same message for a reader that has no attachments. */
export function withImagesInside({ html, images }: Pick<Rendered, 'html' | 'images'>): string {
  return images.reduce(
    (page, { cid, type, content }) =>
      page.replaceAll(`src="cid:${cid}"`, `src="data:${type};base64,${content.toString('base64')}"`),
    html,
  )
}

/** What the message says in a sentence. */
export function summaryOf({ summary, subject }: Template): string {
  return summary ?? subject
}

type RenderContext = { values: Values; notices: readonly Gathered[]; accent: string }

/** Values must not break a header line or reverse the text around them (Unicode TR 36 §3.1). */
function withoutControls(value: string): string {
  return value.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, ' ')
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function filled(text: string, values: Values, write = withoutControls): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: Value) => write(values[name] ?? ''))
}

function textOf(block: Block, { values, notices }: RenderContext): string {
  const { kind, text } = block
  if (kind === 'notices') return notices.map((one) => `- ${filled(one.text, one.values)}${timesOf(one)}`).join('\n')
  const line = filled(text, values)
  if (kind === 'heading') return `${line}\n${'='.repeat(Math.min([...line].length, 72))}`
  if (kind === 'button') return `${line}:\n${values[block.to] ?? ''}`
  return line
}

/** A number alone is the same in every language. */
function timesOf({ count }: Gathered): string {
  return count === 1 ? '' : ` (× ${count})`
}

const ink = '#1c2430'
const quiet = '#5a6675'
const usualAccent = '#1f5fbf'
const cardWidth = 560
const styles = {
  heading: `margin:0 0 16px;font-size:22px;line-height:1.3;font-weight:600;color:${ink}`,
  paragraph: `margin:0 0 16px;font-size:16px;line-height:1.5;color:${ink}`,
  small: `margin:0 0 12px;font-size:13px;line-height:1.5;color:${quiet}`,
  item: `margin:0 0 8px;font-size:16px;line-height:1.5;color:${ink}`,
} as const

/** Word knows no `max-width`, so Outlook gets a table of this width around the card, and font names that it knows. */
const outlookTable = `<!--[if mso]><table role="presentation" align="center" width="${cardWidth}" cellpadding="0" cellspacing="0" border="0" style="width:${cardWidth}px"><tr><td style="padding:0;font-family:'Segoe UI',Arial,sans-serif"><![endif]-->`
const outlookTableEnd = '<!--[if mso]></td></tr></table><![endif]-->'
/** Otherwise mail programs fill the rest of their line with the beginning of the message. */
const preheaderEnd = '&#847;&zwnj;&nbsp;'.repeat(60)

/** For mail programs with a dark scheme; others show the attributes. A value of an attribute is only overridden as important. */
const darkRules = `@media (prefers-color-scheme:dark){
.ground{background:#12151b!important}
.card{background:#1a1e26!important;border-color:#2c323d!important}
.heading,.paragraph{color:#e8ebf1!important}
.small{color:#a3adbe!important}
}`
/** Where there is a logo for dark ground. */
const darkLogoRules = `@media (prefers-color-scheme:dark){
.logo-light{display:none!important}
.logo-dark{display:inline-block!important}
}`

/** Each value in a `bdi`, so that a name in another direction does not reorder the sentence. */
const isolated = (value: string) => `<bdi>${escaped(withoutControls(value))}</bdi>`

function htmlOf(block: Block, { values, notices, accent }: RenderContext): string {
  const { kind, text } = block
  if (kind === 'notices') {
    const items = notices.map((one) => {
      const content = `${filled(escaped(one.text), one.values, isolated)}${timesOf(one)}`
      return `<li class="paragraph" style="${styles.item}">${content}</li>`
    })
    return `<ul style="margin:0 0 16px;padding:0 20px">${items.join('')}</ul>`
  }
  const content = filled(escaped(text), values, isolated)
  if (kind === 'heading') return `<h1 class="heading" style="${styles.heading}">${content}</h1>`
  if (kind !== 'button') return `<p class="${kind}" style="${styles[kind]}">${content}</p>`
  return button(escaped(values[block.to] ?? ''), content, accent)
}

/** Outlook renders with Word, which ignores the padding of links: there the cell has it. Elsewhere the whole button is the link. */
function button(url: string, content: string, accent: string): string {
  const cell = `bgcolor="${accent}" style="border-radius:8px;background:${accent}`
  const [plain, outlook] = [`<td ${cell}">`, `<td ${cell};padding:13px 24px">`]
  return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 24px"><tr>
<!--[if mso]>${outlook}<![endif]--><!--[if !mso]><!-->${plain}<!--<![endif]--><a href="${url}" style="display:inline-block;padding:13px 24px;font-size:16px;font-weight:600;color:#ffffff;text-decoration:none;border-radius:8px">${content}</a></td>
</tr></table>
<p class="small" style="${styles.small};word-break:break-all" dir="ltr">${url}</p>`
}

/** At most as large as on the pages. */
const [logoHeight, widestLogo] = [44, 264]

/** The name of the product, or its logo. */
function headOf({ name, logo, logoDark }: Brand, images: readonly Embedded[]): string {
  const line = (content: string) =>
    `<p class="small" style="margin:0 0 20px;font-size:14px;font-weight:600;color:${quiet}">${content}</p>`
  const [light, dark] = images
  if (light === undefined || logo === undefined) return line(isolated(name))
  const image = ({ cid }: Embedded, { width, height }: BrandImage, attributes: string) => {
    const scale = Math.min(logoHeight / height, widestLogo / width)
    const size = `width="${Math.max(1, Math.round(width * scale))}" height="${Math.max(1, Math.round(height * scale))}"`
    return `<img src="cid:${cid}" alt="${escaped(withoutControls(name))}" ${size} border="0" ${attributes}>`
  }
  const first = image(light, logo, 'class="logo-light" style="max-width:100%;height:auto"')
  if (dark === undefined || logoDark === undefined) return line(first)
  // Outlook shows what is hidden by a style, unless it is told in words of its own.
  const second = image(dark, logoDark, 'class="logo-dark" style="display:none;mso-hide:all;max-width:100%;height:auto"')
  return line(`${first}<!--[if !mso]><!-->${second}<!--<![endif]-->`)
}

function footLinks({ links }: Brand, locale: string): { label: string; url: string }[] {
  const words = footWords(locale)
  return (['terms', 'privacy', 'support'] as const).flatMap((name) => {
    const url = links[name]
    return url === undefined ? [] : [{ label: words[name], url }]
  })
}

function footOf(brand: Brand, locale: string): string {
  const links = footLinks(brand, locale).map(
    ({ label, url }) => `<a class="small" href="${escaped(url)}" style="color:${quiet}">${escaped(label)}</a>`,
  )
  return links.length === 0
    ? ''
    : `<p class="small" style="${styles.small};margin-top:24px">${links.join(' &nbsp; ')}</p>\n`
}

function footText(brand: Brand, locale: string): string[] {
  const lines = footLinks(brand, locale).map(({ label, url }) => `${label}: ${url.replace(/^mailto:/, '')}`)
  return lines.length === 0 ? [] : [lines.join('\n')]
}

type Shell = { locale: string; title: string; preheader: string; rules: string; head: string; foot: string }

function page(content: string, { locale, title, preheader, rules, head, foot }: Shell): string {
  const direction = rightToLeft.has(locale.split('-', 1)[0] ?? '') ? 'rtl' : 'ltr'
  const align = direction === 'rtl' ? 'right' : 'left'
  return `<!doctype html>
<html lang="${escaped(locale)}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(title)}</title>
<style>${rules}</style>
</head>
<body class="ground" style="margin:0;padding:0;background:#f2f4f7">
<div style="display:none;max-height:0;overflow:hidden;mso-hide:all;font-size:1px;line-height:1px">${escaped(preheader)}${preheaderEnd}</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="#f2f4f7" class="ground" style="background:#f2f4f7"><tr>
<td align="center" style="padding:24px 12px">
${outlookTable}
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" dir="${direction}" bgcolor="#ffffff" class="card" style="max-width:${cardWidth}px;background:#ffffff;border:1px solid #dfe4ea;border-radius:12px"><tr>
<td align="${align}" style="padding:32px 28px 20px;overflow-wrap:anywhere;font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif">
${head}
${content}
${foot}</td></tr></table>
${outlookTableEnd}
</td></tr></table>
</body>
</html>
`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] as string)
}
