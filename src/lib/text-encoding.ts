/** The encodings of texts that other programs write. */

export const encodings = ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be'] as const
export type Encoding = (typeof encodings)[number]

/** Tells the encoding from the beginning of a file. */
export function guessEncoding(head: Uint8Array): Encoding {
  const marked = markedEncoding(head)
  if (marked !== undefined) return marked
  try {
    // The beginning may end within a character.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return 'utf-8'
  } catch {
    // The default encoding of spreadsheets on Windows.
    return 'windows-1252'
  }
}

/** The encoding that a byte order mark says. */
export function markedEncoding(head: Uint8Array): Encoding | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 'utf-8' : undefined
}

/** Returns the encoding with this name, as a media type or an option has it. */
export function encodingNamed(name: string): Encoding | undefined {
  const plain = name.trim().toLowerCase()
  if (['us-ascii', 'utf8'].includes(plain)) return 'utf-8'
  // Browsers and spreadsheets read the one as the other.
  if (['iso-8859-1', 'latin1', 'cp1252'].includes(plain)) return 'windows-1252'
  if (plain === 'utf-16') return 'utf-16le'
  return encodings.find((encoding) => encoding === plain)
}
