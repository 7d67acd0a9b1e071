const hidden = /(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/gu
const longest = 40
/** An API key, a password hash or a token that was sent in place of a name. */
const secret =
  /^(?:rb_[0-9A-Za-z]{16}|\$[0-9a-z]+[$*]|\{[A-Za-z0-9-]+\}.{8}|[a-z0-9_]+\$.*\$|eyJ[\w-]{8}|[0-9a-f]{32,}$)/

/**
 * Returns a caller's own name for a message: quoted, on one line, at most 40 characters, and without control characters
 * that a terminal or a page would interpret.
 */
export function shownName(name: string): string {
  if (secret.test(name)) return '"…" (not shown: it looks like a secret)'
  const characters = Array.from(name.slice(0, longest * 2))
  const isCut = characters.length > longest || name.length > longest * 2
  const text = isCut ? `${characters.slice(0, longest - 1).join('')}…` : characters.join('')
  const escaped = text.replace(hidden, (sign) => `\\u{${(sign.codePointAt(0) as number).toString(16)}}`)
  return `"${escaped.replaceAll('"', '\\"')}"`
}

/** Lists up to ten names, then how many more there are. */
export function shownNames(names: readonly string[], most = 10): string {
  const listed = names.slice(0, most).map(shownName)
  const rest = names.length - listed.length
  if (rest > 0) return `${listed.join(', ')} and ${rest} more`
  const last = listed.pop() ?? ''
  return listed.length === 0 ? last : `${listed.join(', ')} and ${last}`
}
