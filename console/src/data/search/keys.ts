/** The state of the keys page, as its address has it. */

export type KeysSearch = { q?: string }

/** Reads an address. The router parses `?q=1815` as JSON. */
export function keysSearch({ q }: Record<string, unknown>): KeysSearch {
  const text = ['string', 'number', 'boolean'].includes(typeof q) ? String(q).slice(0, 256) : ''
  return text === '' ? {} : { q: text }
}
