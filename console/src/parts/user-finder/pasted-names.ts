/** Pasted names to look up: usernames, email addresses and IDs, which contain no spaces. */
import type { User } from 'rollbook/client'

export type Lookup = { user_id: string } | { username: string } | { email: string } | { external_id: string }

/** Each name is a request; use `rollbook groups add --from-file` for more. */
export const mostPasted = 1000

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A part between separators. A separator within quotes or brackets does not end it. */
const part = /(?:"(?:[^"\n]|"")*"|<[^<>\n]*>|[^,;\t\n\r])+/g
/** A name and an address, as mail programs write them: `Ada Lovelace <ada@example.com>`. */
const addressed = /<\s*(?:mailto:)?([^<>\s]+)\s*>/
/** The last name in `Lovelace, Ada <ada@example.com>`, whose comma separates nothing. */
const lastName = /^[\p{Lu}\p{Lo}][^@<>"\d]*$/u

/** Returns each name once: the address of `Name <address>`, else the words between separators. */
export function namesIn(text: string): string[] {
  const parts = [...text.matchAll(part)].map(([found], n, all) => ({
    text: found.trim(),
    separator: text[(all[n]?.index ?? 0) + found.length],
  }))
  const names = parts.flatMap(({ text, separator }, n) => {
    const address = addressed.exec(text)?.[1]
    if (address !== undefined) return [address]
    if (separator === ',' && lastName.test(text) && addressed.test(parts[n + 1]?.text ?? '')) return []
    return text.split(/\s+/).map((name) => name.replace(/^(?:[<"'([]|mailto:)+|[>"')\]]+$/g, ''))
  })
  return [...new Set(names.filter((name) => name !== ''))]
}

/** The names of a pasted list; undefined for what may be one name, such as `Ada Lovelace` or `Lovelace, Ada`. */
export function listIn(text: string): string[] | undefined {
  const isList = /[;\t\n]/.test(text.trim()) || text.split('@').length > 2
  const names = isList ? namesIn(text).slice(0, mostPasted) : []
  return names.length > 1 ? names : undefined
}

/** Returns the possible kinds of a name, likeliest first. A username may look like an email address. */
export function lookupsOf(name: string): Lookup[] {
  const byName = [{ username: name }, { external_id: name }]
  if (uuid.test(name)) return [{ user_id: name.toLowerCase() }, ...byName]
  return name.includes('@') ? [{ email: name }, ...byName] : byName
}

export type Person = Pick<User, 'user_id' | 'username'>

/** Returns the users with these names, each once, and the names that no user has. `find` is called for eight at a time. */
export async function lookUp(
  names: readonly string[],
  find: (lookup: Lookup) => Promise<Person | undefined>,
  onDone: (count: number) => void = () => undefined,
): Promise<{ people: Person[]; missing: string[] }> {
  const found = new Array<Person | undefined>(names.length)
  const left = names.entries()
  let done = 0
  async function work(): Promise<void> {
    for (const [index, name] of left) {
      for (const lookup of lookupsOf(name)) {
        found[index] = await find(lookup)
        if (found[index] !== undefined) break
      }
      done += 1
      onDone(done)
    }
  }
  await Promise.all(Array.from({ length: 8 }, work))
  return { people: eachOnce(found), missing: names.filter((_, index) => found[index] === undefined) }
}

export function eachOnce(people: readonly (Person | undefined)[]): Person[] {
  return [...new Map(people.flatMap((one) => (one === undefined ? [] : [[one.user_id, one] as const]))).values()]
}
