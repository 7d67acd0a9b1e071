import { createHash } from 'node:crypto'

type GroupOf = { readonly group_id: string; readonly name: string }

/**
 * Returns the ETag of a user. It is weak (RFC 7644 §3.14), because a sign-in changes it too. The groups of a
 * user change without the user.
 */
export function versionOfUser(version: number, groups: readonly GroupOf[]): string {
  return groups.length === 0 ? versionOfGroup(version) : `W/"${version}-${digestOf(groups)}"`
}

/** Differs with the groups of a user and their names. */
export function digestOf(groups: readonly GroupOf[]): string {
  const text = JSON.stringify(groups.map(({ group_id, name }) => [group_id, name]))
  return createHash('sha256').update(text).digest('base64url').slice(0, 8)
}

export function versionOfGroup(version: number): string {
  return `W/"${version}"`
}
