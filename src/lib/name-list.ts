/** Names in one CSV cell, with semicolons between them. A name that could be misread is in quotes, which are doubled within it. */

export function joinNames(names: readonly string[]): string {
  return names.map((name) => (/;|^"/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join(';')
}

const part = /\s*(?:"((?:[^"]|"")*)"\s*|([^;]*))(?:;|$)/y

/** Blanks around names, and empty names, are skipped. A quote that does not close a name is part of it. */
export function splitNames(cell: string): string[] {
  const names: string[] = []
  for (part.lastIndex = 0; part.lastIndex < cell.length; ) {
    const [, quoted, plain = ''] = part.exec(cell) ?? []
    const name = quoted?.replaceAll('""', '"') ?? plain.trim()
    if (name !== '') names.push(name)
  }
  return names
}
