/** Quotes a word so that a POSIX shell reads it back unchanged. */
export function shellWord(text: string): string {
  // Only characters that are safe in every position of every shell: `~`, `=` and `{` are not.
  if (/^[\w@%+:,./-]+$/.test(text)) return text
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Puts the options on lines of their own if they do not fit on one. */
export function shellLine(command: string, parts: readonly string[]): string {
  const line = [command, ...parts].join(' ')
  return line.length <= 72 || parts.length === 0 ? line : [command, ...parts].join(' \\\n  ')
}
