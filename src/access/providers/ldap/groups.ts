/** The groups of a user, with those that they are in through other groups. */

import type { LdapSettings } from '../connections/service.ts'
import { sidText } from './binary-ids.ts'
import { bytesOf, type DirectoryClient, type Entry, textsOf } from './client.ts'
import { filterValue } from './escape.ts'
import { LdapFailure, resultCodeOf, resultCodes } from './failure.ts'
import { allValues } from './range.ts'

export type DirectoryGroup = { dn: string; name: string }

/** Groups in groups, level by level. */
const deepest = 10
const mostGroups = 2000
/** Terms of a filter; some servers refuse long ones. */
const termsAtOnce = 50
const searchesAtOnce = 20

type Settings = Pick<
  LdapSettings,
  'group_source' | 'group_base' | 'group_filter' | 'group_member_attribute' | 'user_base' | 'username_attribute'
>

/** The attributes that `groupsOf` needs in the entry of the user. */
export function groupAttributes({ group_source, group_member_attribute, username_attribute }: Settings): string[] {
  if (group_source === 'member_of') return ['memberOf']
  return group_source === 'member' && namesByUsername(group_member_attribute) ? [username_attribute] : []
}

/** @throws LdapFailure `too_many_groups`, `search_refused` */
export async function groupsOf(client: DirectoryClient, user: Entry, settings: Settings): Promise<DirectoryGroup[]> {
  const { group_source, group_member_attribute, username_attribute } = settings
  if (group_source === 'none') return []
  const found = new Map<string, DirectoryGroup>()
  if (group_source === 'token_groups') {
    await add(found, groupsWith(client, settings, 'objectSid', await tokenGroups(client, user)))
    return [...found.values()]
  }
  let level: DirectoryGroup[]
  if (group_source === 'member_of') {
    const names = await allValues(client, user, 'memberOf')
    const direct = names.filter((one) => typeof one === 'string')
    level = await add(found, byName(client, settings, direct))
  } else if (namesByUsername(group_member_attribute)) {
    // Groups of Unix have users only.
    await add(found, groupsWith(client, settings, group_member_attribute, textsOf(user, username_attribute)))
    return [...found.values()]
  } else level = await add(found, groupsWith(client, settings, group_member_attribute, [user.dn]))
  for (let depth = 1; level.length > 0 && depth < deepest; depth++) {
    const names = level.map(({ dn }) => dn)
    level = await add(found, groupsWith(client, settings, group_member_attribute, names))
  }
  return [...found.values()]
}

function namesByUsername(attribute: string): boolean {
  return attribute.toLowerCase() === 'memberuid'
}

/** Returns those that were not there before, so that groups in a circle end. */
async function add(
  found: Map<string, DirectoryGroup>,
  groups: AsyncIterable<DirectoryGroup>,
): Promise<DirectoryGroup[]> {
  const added: DirectoryGroup[] = []
  for await (const group of groups) {
    const key = group.dn.toLowerCase()
    if (found.has(key)) continue
    // Better none than some: the group that is left out may be the one that takes a right away.
    if (found.size >= mostGroups) {
      throw new LdapFailure('too_many_groups', `The user is in more than ${mostGroups} groups. Narrow group_base.`)
    }
    found.set(key, group)
    added.push(group)
  }
  return added
}

/** The ids of all groups, the primary one and those of other groups among them. A base search is the only way to them. */
async function tokenGroups(client: DirectoryClient, { dn }: Entry): Promise<string[]> {
  const search = { base: dn, scope: 'base' as const, filter: '(objectClass=*)', attributes: ['tokenGroups'] }
  const { entries } = await client.search(search)
  const ids = entries[0] === undefined ? [] : bytesOf(entries[0], 'tokenGroups')
  if (ids.length === 0) {
    const detail =
      'The directory returns no tokenGroups. The bind user may not read them, or this is not Active Directory: choose another group_source.'
    throw new LdapFailure('search_refused', detail)
  }
  return ids.map(sidText).filter((id) => id !== undefined)
}

async function* groupsWith(
  client: DirectoryClient,
  { group_base, user_base, group_filter }: Settings,
  attribute: string,
  values: readonly string[],
): AsyncGenerator<DirectoryGroup> {
  for (let at = 0; at < values.length; at += termsAtOnce) {
    const terms = values.slice(at, at + termsAtOnce).map((value) => `(${attribute}=${filterValue(value)})`)
    const filter = `(&${group_filter}(|${terms.join('')}))`
    const { entries } = await client.search({ base: group_base ?? user_base, filter, attributes: ['cn'] })
    for (const entry of entries) yield groupOf(entry)
  }
}

/** The groups that an entry names. Each is read: one outside `group_base` does not count. */
async function* byName(
  client: DirectoryClient,
  { group_base, user_base, group_filter }: Settings,
  names: readonly string[],
): AsyncGenerator<DirectoryGroup> {
  const base = normalized(group_base ?? user_base)
  const ours = names.filter((dn) => `,${normalized(dn)}`.endsWith(`,${base}`))
  for (let at = 0; at < ours.length; at += searchesAtOnce) {
    const searches = ours
      .slice(at, at + searchesAtOnce)
      .map((dn) =>
        client.search({ base: dn, scope: 'base', filter: group_filter, attributes: ['cn'] }).catch(noneIfGone),
      )
    for (const { entries } of await Promise.all(searches)) for (const entry of entries) yield groupOf(entry)
  }
}

/** A group that was deleted, or that the bind user may not see, gives nothing. */
function noneIfGone(error: unknown): { entries: Entry[] } {
  if (error instanceof LdapFailure && resultCodeOf(error.cause) === resultCodes.noSuchObject) return { entries: [] }
  throw error
}

/** Enough to compare what servers return with what an operator wrote. */
function normalized(dn: string): string {
  return dn.toLowerCase().replaceAll(/\s*([,=])\s*/g, '$1')
}

function groupOf(entry: Entry): DirectoryGroup {
  return { dn: entry.dn, name: textsOf(entry, 'cn')[0] ?? entry.dn }
}
