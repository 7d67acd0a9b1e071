/** Active Directory returns at most 1,500 values of an attribute at once: `member;range=0-1499` ([MS-ADTS] §3.1.1.3.1.3.3). */
import type { DirectoryClient, Entry, Values } from './client.ts'

/** More pieces than a directory has members. */
const mostPieces = 10_000

/** Returns all values of an attribute, of which `entry` has the first. */
export async function allValues(client: DirectoryClient, entry: Entry, attribute: string): Promise<Values> {
  const plain = entry.values.get(attribute.toLowerCase())
  let piece = pieceIn(entry, attribute)
  if (piece === undefined) return plain ?? []
  const all = [...piece.values]
  for (let count = 0; piece.next !== undefined && count < mostPieces; count++) {
    const { entries } = await client.search({
      base: entry.dn,
      scope: 'base',
      filter: '(objectClass=*)',
      attributes: [`${attribute};range=${piece.next}-*`],
    })
    const following = entries[0] && pieceIn(entries[0], attribute)
    if (following === undefined || following.values.length === 0) break
    all.push(...following.values)
    piece = following
  }
  return all
}

/** `next` is where the following piece begins; undefined in the last one, which ends with `*`. */
function pieceIn({ values }: Entry, attribute: string): { values: Values; next: number | undefined } | undefined {
  const pattern = /;range=(\d+)-(\d+|\*)$/
  for (const [name, found] of values) {
    const end = name.startsWith(`${attribute.toLowerCase()};`) ? pattern.exec(name)?.[2] : undefined
    if (end !== undefined) return { values: found, next: end === '*' ? undefined : Number(end) + 1 }
  }
  return undefined
}
