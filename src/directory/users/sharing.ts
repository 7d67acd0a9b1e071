/**
 * Which changes of users may share a transaction on PostgreSQL (docs/decisions/speed.md, 0103): those that wait for nothing that
 * another change may hold for long, and need no savepoint. The others run as before.
 */
import type { UserInput } from './input.ts'

/** Returns the names that no other change may give to a user at the same time. */
export function sharedCreation(input: UserInput): string[] | undefined {
  const { username_key, email_key, external_id, attributes, organization_id } = input
  // Values that must be unique are written after the user.
  if (attributes !== undefined) return undefined
  // The organization is held.
  if (organization_id) return undefined
  const names = [username_key, email_key].filter((name) => typeof name === 'string').map((name) => `name:${name}`)
  return typeof external_id === 'string' ? [...names, `external_id:${external_id}`] : names
}

/** Members without a rule about other users: no last administrator, no unique name, no credentials that end. */
const free: readonly string[] = ['first_name', 'last_name', 'locale'] satisfies (keyof UserInput)[]

export function sharedUpdate({ user_id, input }: { user_id: string; input: UserInput }): string[] | undefined {
  return Object.keys(input).every((member) => free.includes(member)) ? [`user:${user_id}`] : undefined
}
