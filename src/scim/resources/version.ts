import { createHash } from 'node:crypto'
import { isMatch } from '../../http/request/conditional.ts'
import type { JsonObject } from '../protocol/json.ts'

type Member = { readonly username: string }
type GroupOf = { readonly group_id: string; readonly name: string }

/**
 * Returns the ETag of a user. It is weak (RFC 7644 §3.14), because a sign-in changes it too. The groups of a
 * user change without the user.
 */
export function versionOfUser(version: number, groups: readonly GroupOf[]): string {
  return groups.length === 0 ? weak(version) : weak(version, digestOf(groups))
}

/** Differs with the groups of a user and their names. */
export function digestOf(groups: readonly GroupOf[]): string {
  return digest(groups.map(({ group_id, name }) => [group_id, name]))
}

/** Returns the ETag of a group. Its response shows the usernames of its members, which change without the group; who they are is in `version`. */
export function versionOfGroup(version: number, members: readonly Member[] = []): string {
  if (members.length === 0) return weak(version)
  return weak(version, digest(members.map(({ username }) => [username])))
}

/** Whether `If-Match` names this version of a group: a member's new username is no change that another one could undo. */
export function isVersionOfGroup(ifMatch: string | undefined, version: number): boolean {
  return isMatch(ifMatch?.replaceAll(/"(\d+)-[\w-]+"/g, '"$1"'), weak(version))
}

/** Returns the ETag that a resource has in `meta.version`. */
export function versionIn({ meta }: JsonObject): string {
  return String((meta as JsonObject).version)
}

function weak(version: number, suffix?: string): string {
  return `W/"${version}${suffix === undefined ? '' : `-${suffix}`}"`
}

function digest(values: readonly (readonly string[])[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 8)
}
