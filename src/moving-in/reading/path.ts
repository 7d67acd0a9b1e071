/** Paths into a record: `name.givenName`, `emails.0.value`, `emails[primary=true].value`, `groups[].display`. */
import { type JsonObject, listOf, objectOf, textOf } from './json.ts'

/**
 * Returns the values at a path; several only behind `[]`. A member whose name is the whole rest of the path comes first,
 * because names can contain dots: those of SCIM's extensions, and columns such as `name.givenName`.
 */
export function valuesAt(record: unknown, path: string): unknown[] {
  if (record === undefined || record === null) return []
  const members = Array.isArray(record) ? undefined : objectOf(record)
  if (members !== undefined && Object.hasOwn(members, path)) return [members[path]]
  const each = /^\[([^\]=]*)(?:=([^\]]*))?\](?:\.|$)/.exec(path)
  if (each !== null) return valuesIn(record, each[1] ?? '', each[2], path.slice(each[0].length))
  for (let end = nextEnd(path, 0); end < path.length; end = nextEnd(path, end + 1)) {
    const name = path.slice(0, end)
    const rest = path.slice(path[end] === '.' ? end + 1 : end)
    if (members !== undefined ? Object.hasOwn(members, name) : /^\d+$/.test(name))
      return valuesAt(members === undefined ? listOf(record)[Number(name)] : members[name], rest)
  }
  return members === undefined && /^\d+$/.test(path) ? listOf(record).slice(Number(path), Number(path) + 1) : []
}

/** `[]` is all elements, `[primary=true]` the first with this member. */
function valuesIn(record: unknown, member: string, wanted: string | undefined, rest: string): unknown[] {
  const all = listOf(record)
  const found =
    member === '' ? all : all.filter((one) => String(objectOf(one)[member]) === (wanted ?? 'true')).slice(0, 1)
  return rest === '' ? found : found.flatMap((one) => valuesAt(one, rest))
}

function nextEnd(path: string, from: number): number {
  const end = path.slice(from).search(/[.[]/)
  return end < 0 ? path.length : from + end
}

/** The texts at a path: numbers and booleans as written, lists of texts one by one. */
export function textsAt(record: JsonObject, path: string): string[] {
  return valuesAt(record, path)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .flatMap((value) => (typeof value === 'boolean' ? String(value) : (textOf(value) ?? [])))
}

/** The path's first name, which stands for the member in reports. */
export function topOf(path: string): string {
  return path.slice(0, nextEnd(path, 0))
}
