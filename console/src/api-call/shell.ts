/** A word as a POSIX shell reads it back, whatever is in it. */
export function shellWord(text: string): string {
  // What is safe everywhere stands as it is: `~`, `=` and `{` mean something in some places of some shells.
  if (/^[\w@%+:,./-]+$/.test(text)) return text
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Options one below the other when they do not fit on a line. */
export function shellLine(command: string, parts: readonly string[]): string {
  const line = [command, ...parts].join(' ')
  return line.length <= 72 || parts.length === 0 ? line : [command, ...parts].join(' \\\n  ')
}
