import { type JsonObject, textOf, textsOf } from '../reading/json.ts'

/**
 * Reads roles from metadata that only an administrator of the source can write. Never from metadata that users can write
 * themselves: a user who claimed to be an administrator there would become one here.
 */
export function rolesInMetadata(metadata: JsonObject): string[] {
  const role = textOf(metadata.role)
  return [...new Set([...(role === undefined ? [] : [role]), ...textsOf(metadata.roles)])]
}

const firstNames = ['first_name', 'firstName', 'firstname', 'given_name', 'givenName']
const lastNames = ['last_name', 'lastName', 'lastname', 'family_name', 'familyName', 'surname']
const fullNames = ['full_name', 'fullName', 'display_name', 'displayName', 'name']

export function isNameMember(member: string): boolean {
  return firstNames.includes(member) || lastNames.includes(member) || fullNames.includes(member)
}

/** The spellings of these names in metadata. */
export function namesInMetadata(metadata: JsonObject): {
  firstName: string | undefined
  lastName: string | undefined
  fullName: string | undefined
} {
  const first = (members: readonly string[]): string | undefined =>
    members.map((member) => textOf(metadata[member])).find((name) => name !== undefined)
  return { firstName: first(firstNames), lastName: first(lastNames), fullName: first(fullNames) }
}
