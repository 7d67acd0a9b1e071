/** Names of exported files that every file system takes. */

/**
 * Returns a name without its ending, such as `orchard-users-disabled-2026-11-29`, from the name of the product, what is
 * exported, what it is filtered by, and a day.
 */
export function exportName(parts: {
  productName: string
  what: string
  filters?: readonly string[]
  /** In UTC. */
  day: Date
}): string {
  const { productName, what, filters = [], day } = parts
  const words = [productName, what, ...filters].map(safeWord).filter((word) => word !== '')
  return [...words, day.toISOString().slice(0, 10)].join('-')
}

const longestWord = 32

/** Letters of the Latin alphabet without accents, digits and hyphens. */
function safeWord(text: string): string {
  const plain = text
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ä', 'ae')
    .replaceAll('ö', 'oe')
    .replaceAll('ü', 'ue')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
  return plain
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, longestWord)
    .replaceAll(/^-+|-+$/g, '')
}
