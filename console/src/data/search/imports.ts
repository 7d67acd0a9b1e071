/** `?new`: the file is being chosen. */
type ImportsSearch = { new?: true }

export function importsSearch(raw: Record<string, unknown>): ImportsSearch {
  return raw.new === true || raw.new === 'true' || raw.new === '' ? { new: true } : {}
}
