/** Inserts the groups of users into resources that the database serialized without them. */
import { joint, staleMark } from '../../directory/scim-documents/service.ts'
import { groupReference } from '../mapping/user.ts'
import { digestOf } from '../resources/version.ts'

type Group = { readonly group_id: string; readonly name: string }
/** The groups of a user by name; undefined without any. */
type GroupsOf = (userId: string) => readonly Group[] | undefined

/** Bytes to insert at a position. */
export type Insertion = { readonly at: number; readonly bytes: Uint8Array }

const idLength = 36
const [lineFeed, stale] = ['\n', staleMark].map((mark) => mark.charCodeAt(0)) as [number, number]
/** The text after a user's version, which ends the resource, and the text after `meta`. */
const [afterVersion, afterMeta] = ['\\""}}', '}'].map((text) => text.length) as [number, number]

/**
 * Returns the groups of users, and what they change in the versions, as insertions into the resources.
 *
 * @param resources JSON with joints between; as bytes, because decoding them takes longer than writing all of them
 * @param ids of the users, in the order of the resources
 */
export function groupInsertions(
  resources: Uint8Array,
  ids: readonly string[],
  groupsOf: GroupsOf,
  base: string,
): Insertion[] {
  const bytes = viewOf(resources)
  const known = new Map<string, { members: Buffer; digest: Buffer }>()
  const insertions: Insertion[] = []
  let start = 0
  for (const id of ids) {
    const next = bytes.indexOf(lineFeed, start)
    const end = next === -1 ? bytes.length : next + 1 - joint.length
    const groups = bytes[start] === stale ? undefined : groupsOf(id)
    start = next + 1
    if (groups === undefined) continue
    const key = groups.length === 1 ? (groups[0] as Group).group_id : groups.map(({ group_id }) => group_id).join()
    let written = known.get(key)
    if (written === undefined) {
      written = write(groups, base)
      known.set(key, written)
    }
    insertions.push({ at: end - afterVersion, bytes: written.digest }, { at: end - afterMeta, bytes: written.members })
  }
  return insertions
}

function write(groups: readonly Group[], base: string): { members: Buffer; digest: Buffer } {
  const references = JSON.stringify(groups.map((group) => groupReference(group, base)))
  return { members: Buffer.from(`,"groups":${references}`), digest: Buffer.from(`-${digestOf(groups)}`) }
}

/** Copies the bytes once, between a head and a tail, with the insertions, which are in order. */
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

/** @param pairs a user_id and a group_id one after another, in order */
export function groupsByPairs(pairs: string, groups: readonly Group[]): GroupsOf {
  const rank = new Map(groups.map(({ group_id }, i) => [group_id, i]))
  // Users of the same groups share one list.
  const lists = new Map<string, readonly Group[]>()
  const own = new Map<string, readonly Group[]>()
  for (let at = 0; at < pairs.length; ) {
    const userId = pairs.slice(at, at + idLength)
    let groupIds = ''
    for (; pairs.startsWith(userId, at); at += 2 * idLength) groupIds += pairs.slice(at + idLength, at + 2 * idLength)
    let list = lists.get(groupIds)
    if (list === undefined) {
      // A group may have been created or deleted between the two reads.
      const places = (groupIds.match(/.{36}/g) ?? []).flatMap((id) => rank.get(id) ?? [])
      list = places.sort((a, b) => a - b).map((place) => groups[place] as Group)
      lists.set(groupIds, list)
    }
    if (list.length > 0) own.set(userId, list)
  }
  return (userId) => own.get(userId)
}
