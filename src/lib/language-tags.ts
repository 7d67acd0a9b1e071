/** Language tags (RFC 5646), and the choice among languages. */

/** Matches a language, perhaps with a script and a region, in canonical case: `de`, `pt-BR`, `es-419`, `zh-Hant-TW`. */
export const languageTag = /^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$/
export const languageTagLength = 11

/** Longer headers come from attackers. */
const rangeLimit = 32

/** Returns the tag and its shorter forms: `de-AT`, then `de` (RFC 4647 §3.4). */
export function fallbacks(tag: string): string[] {
  const parts = tag.split('-')
  return parts.flatMap((_, cut) => {
    const remaining = parts.slice(0, parts.length - cut)
    // A single letter introduces the parts behind it.
    return cut > 0 && remaining.at(-1)?.length === 1 ? [] : [remaining.join('-')]
  })
}

/** Returns the first of `available` that one of the tags leads to; earlier tags are preferred. */
export function lookUp<T extends string>(tags: readonly string[], available: readonly T[]): T | undefined {
  for (const tag of tags.slice(0, rangeLimit)) {
    if (tag.length > 64) continue
    const steps = fallbacks(tag.toLowerCase())
    const found = steps.map((step) => available.find((one) => one.toLowerCase() === step)).find(Boolean)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns the languages of a header `Accept-Language` (RFC 9110 §12.5.4), the preferred ones first. */
export function acceptedLanguages(header: string | undefined): string[] {
  return (header ?? '')
    .split(',', rangeLimit)
    .map((member) => {
      const [tag = '', weight] = member.split(';').map((part) => part.trim())
      return { tag, quality: weight === undefined ? 1 : qualityOf(weight) }
    })
    .filter(({ tag, quality }) => /^[a-z\d-]+$/i.test(tag) && quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag)
}

function qualityOf(weight: string): number {
  const quality = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i.exec(weight)?.[1]
  return quality === undefined ? 0 : Number(quality)
}

const rightToLeft = new Set(['ar', 'fa', 'he', 'ur'])

export function directionOf(tag: string): 'ltr' | 'rtl' {
  return rightToLeft.has(tag.split('-', 1)[0] ?? '') ? 'rtl' : 'ltr'
}
