/** Puts the groups of users into their resources, which the database wrote without them. */
import { groupReference } from '../mapping/user.ts'
import { digestOf } from '../resources/version.ts'

type Group = { readonly group_id: string; readonly name: string }
/** The groups of a user by name; undefined without any. */
export type GroupsOf = (userId: string) => readonly Group[] | undefined

/** Bytes to put in before a place. */
export type Insertion = { readonly at: number; readonly bytes: Uint8Array }

const idLength = 36
// Quotes inside of values are escaped, so these stand only where the members do.
const [beforeId, beforeMeta, afterVersion] = ['"id":"', ',"meta":{"resourceType":"User"', '\\""}'].map((text) =>
  Buffer.from(text),
) as [Buffer, Buffer, Buffer]

/**
 * Returns the groups of users, and what they change in the versions, as insertions into the resources.
 *
 * @param resources JSON one after another, in any order; as bytes, because decoding them takes longer than writing all of them
 */
export function groupInsertions(resources: Uint8Array, groupsOf: GroupsOf, base: string): Insertion[] {
  const bytes = viewOf(resources)
  const known = new Map<string, { members: Buffer; digest: Buffer }>()
  const insertions: Insertion[] = []
  let end = 0
  for (let idAt = bytes.indexOf(beforeId); idAt !== -1; idAt = bytes.indexOf(beforeId, end)) {
    const start = idAt + beforeId.length
    const metaAt = bytes.indexOf(beforeMeta, start)
    end = bytes.indexOf(afterVersion, metaAt)
    const groups = groupsOf(bytes.toString('latin1', start, start + idLength))
    if (groups === undefined) continue
    const key = groups.map(({ group_id }) => group_id).join()
    const { members, digest } = known.get(key) ?? write(groups, base)
    known.set(key, { members, digest })
    insertions.push({ at: metaAt, bytes: members }, { at: end, bytes: digest })
  }
  return insertions
}

function write(groups: readonly Group[], base: string): { members: Buffer; digest: Buffer } {
  const references = JSON.stringify(groups.map((group) => groupReference(group, base)))
  return { members: Buffer.from(`,"groups":${references}`), digest: Buffer.from(`-${digestOf(groups)}`) }
}

/** Copies bytes once: between a head and a tail, with the insertions, which come in their order. */
export function assemble(head: string, bytes: Uint8Array, insertions: readonly Insertion[], tail: string): Buffer {
  const added = insertions.reduce((sum, insertion) => sum + insertion.bytes.length, 0)
  const size = Buffer.byteLength(head) + bytes.length + added + Buffer.byteLength(tail)
  const target = Buffer.allocUnsafe(size)
  const source = viewOf(bytes)
  let end = target.write(head)
  let copied = 0
  for (const insertion of insertions) {
    end += source.copy(target, end, copied, insertion.at)
    copied = insertion.at
    target.set(insertion.bytes, end)
    end += insertion.bytes.length
  }
  end += source.copy(target, end, copied)
  target.write(tail, end)
  return target
}

/** The same bytes, not copied. */
export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** @param pairs a user_id and a group_id one after another */
export function groupsByPairs(pairs: string, groups: readonly Group[]): GroupsOf {
  const rank = new Map(groups.map(({ group_id }, i) => [group_id, i]))
  const ranks = new Map<string, number[]>()
  for (let at = 0; at < pairs.length; at += 2 * idLength) {
    const userId = pairs.slice(at, at + idLength)
    const place = rank.get(pairs.slice(at + idLength, at + 2 * idLength))
    // The group came or went between the two reads.
    if (place === undefined) continue
    const found = ranks.get(userId)
    if (found === undefined) ranks.set(userId, [place])
    else found.push(place)
  }
  return (userId) =>
    ranks
      .get(userId)
      ?.sort((a, b) => a - b)
      .map((place) => groups[place] as Group)
}
