/** Pasted names to look up: usernames, email addresses and IDs, which contain no spaces. */
import type { User } from 'rollbook/client'

export type Lookup = { user_id: string } | { username: string } | { email: string }

/** Each name is a request; use `rollbook groups add --from-file` for more. */
export const mostPasted = 1000

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Returns each name once, without the quotes and brackets of lists of email addresses. */
export function namesIn(text: string): string[] {
  const names = text.split(/[\s,;]+/).map((name) => name.replace(/^[<"'([]+|[>"')\]]+$/g, ''))
  return [...new Set(names.filter((name) => name !== ''))]
}

/** Returns the possible kinds of a name, likeliest first. A username may look like an email address. */
export function lookupsOf(name: string): Lookup[] {
  if (uuid.test(name)) return [{ user_id: name.toLowerCase() }, { username: name }]
  return name.includes('@') ? [{ email: name }, { username: name }] : [{ username: name }]
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
