/** Maps claims to a user's role, groups and attributes, under the rules for every change. */

import { isDeepStrictEqual } from 'node:util'
import * as members from '../../../administration/groups/service.ts'
import * as groups from '../../../administration/groups/service.ts'
import { system } from '../../../core/actor.ts'
import { scopeOf } from '../../../core/scope.ts'
import { readDefinitions, readValues } from '../../../directory/attributes/service.ts'
import * as users from '../../../directory/users/service.ts'
import { administeringRoles } from '../../../directory/users/service.ts'
import type { ChangeContext } from '../../../store/context.ts'
import type { Db } from '../../../store/db/db.ts'
import { type ConnectionRow, settingsOf } from './connections.ts'
import type { Claims } from './kinds/kind.ts'
import { kindOf } from './kinds/kinds.ts'
import { actorOf } from './limits.ts'
import { attributeOf, endOf, matcherOf, type Unread, valuesOf } from './mapped-claims.ts'
import type { Settings } from './settings.ts'

/** It travels to the writer thread, and waits with a sign-in for its second factor. */
export type Mapped = {
  role: string
  /** Whether a value of the claim named a role. */
  isRoleMapped: boolean
  /** Ids of groups. */
  groups: string[]
  attributes: Record<string, string | number | boolean | string[]>
  /** Null: the access does not end. Undefined: the claims say nothing about it. */
  expires_at?: string | null | undefined
  /** Claims that say nothing: the role, groups or attribute of an existing user stays as it is. */
  unread: UnreadClaim[]
}

/** `form`: what an unreadable claim is instead, in English. */
export type UnreadClaim = {
  sets: 'role' | 'groups' | 'attributes' | 'expires_at'
  claim: string
  why: Unread
  form?: string | undefined
}

export function mappedOf(kind: string, settings: Settings, claims: Claims): Mapped {
  const unread: UnreadClaim[] = []
  const matcherFor = (sets: UnreadClaim['sets'], claim: string | null): ((named: string) => boolean) => {
    if (claim === null) return () => false
    const read = valuesOf(claims, claim)
    if ('values' in read) return matcherOf(read.values)
    const isNone = read.unread === 'missing' && settings.missing_claims === 'none'
    if (!isNone) unread.push({ sets, claim, why: read.unread, form: read.form })
    return () => false
  }
  const isNamed = matcherFor('role', settings.role_claim)
  const role = Object.entries(settings.roles).find(([value]) => isNamed(value))?.[1]
  const isMember = matcherFor('groups', settings.group_claim)
  const ofGroups = Object.entries(settings.groups).flatMap(([value, id]) => (isMember(value) ? [id] : []))
  const attributes = Object.entries(settings.attribute_claims).flatMap(([name, claim]) => {
    const read = attributeOf(claims, claim)
    if ('value' in read) return [[name, read.value]]
    // Most users lack some attribute, which is no fault.
    if (read.unread !== 'missing') unread.push({ sets: 'attributes', claim, why: read.unread, form: read.form })
    return []
  })
  const end = (): string | null | undefined => {
    const claim = settings.expires_at_claim
    if (claim === null) return undefined
    const read = endOf(claims, claim, { isDirectory: kindOf(kind).hasDirectoryTimes === true })
    if ('end' in read) return read.end
    // Most users have no end date, so a missing claim is no fault either.
    if (read.unread === 'missing') return settings.missing_claims === 'none' ? null : undefined
    unread.push({ sets: 'expires_at', claim, why: read.unread, form: read.form })
    return undefined
  }
  return {
    role: role ?? settings.default_role,
    isRoleMapped: role !== undefined,
    groups: [...new Set(ofGroups)],
    attributes: Object.fromEntries(attributes),
    expires_at: end(),
    unread,
  }
}

/** What each claim that said nothing left as it was, and what to do; undefined if nothing of the kind matters now. */
export function unreadDetail(
  settings: Settings,
  { unread }: Mapped,
  { isNew }: { isNew: boolean },
): string | undefined {
  // A new user has nothing that could stay, and often no value yet.
  const isApplied = ({ sets, why }: UnreadClaim) => (isNew ? why !== 'missing' : settings[syncOf[sets]] === 'sign_in')
  const due = unread.filter(isApplied)
  if (due.length === 0) return undefined
  const causes = [...Map.groupBy(due, ({ claim, why }) => `${why} ${claim}`).values()].map((same) => {
    const [cause] = same as [UnreadClaim]
    const named = [...new Set(same.map(({ sets }) => sets))]
    const effect = isNew
      ? `The new user has ${named.map((sets) => withoutValue[sets]).join(' and ')}.`
      : `The ${named.map((sets) => memberWords[sets]).join(' and ')} of the user ${named.length > 1 || named[0] === 'groups' ? 'stay as they are' : 'stays as it is'}.`
    return `${unreadTexts[cause.why](cause)} ${effect}`
  })
  return causes.join(' ')
}

/** The claims that could not be read, for the record of the sign-in. */
export function unreadClaims({ unread }: Mapped): string[] {
  return [...new Set(unread.filter(({ why }) => why !== 'missing').map(({ claim }) => claim))]
}

const syncOf = {
  role: 'role_sync',
  groups: 'group_sync',
  attributes: 'attribute_sync',
  expires_at: 'expires_at_sync',
} as const
const memberWords = { role: 'role', groups: 'groups', attributes: 'attribute', expires_at: 'end date' } as const
const withoutValue = {
  role: 'the default role',
  groups: 'no groups of the mapping',
  attributes: 'no such attribute',
  expires_at: 'no end date',
} as const

const unreadTexts: Readonly<Record<Unread, (unread: UnreadClaim) => string>> = {
  overage: ({ claim }) =>
    `The provider left out ${claim}, because the user has too many values of it (_claim_names, hasgroups or groups.link). Let it send only the groups that are assigned to this application, or app roles.`,
  missing: ({ claim }) =>
    `The provider did not send ${claim}. Let it send the claim, or correct its name. If it leaves out the claim of users without any value, set missing_claims to none.`,
  unreadable: ({ claim, sets, form }) =>
    sets === 'expires_at'
      ? `The claim ${claim} is ${form ?? 'something else'}. It must be a date and time (RFC 3339), a date, or seconds since 1970 as a number; of a directory also generalized time or accountExpires.`
      : `The claim ${claim} is ${form ?? 'something else'}, a form that no values can be read from. It must be a text, a number, a boolean${sets === 'attributes' ? ' or a list of them' : ', a list of them, or an object with the values as its keys'}. A path such as realm_access.roles reaches into objects.`,
}

/** Without attributes whose definition was deleted: otherwise no user with such a claim could sign in. */
async function withDefined(db: Db, mapped: Mapped): Promise<Mapped> {
  const all = Object.entries(mapped.attributes)
  if (all.length === 0) return mapped
  const definitions = await readDefinitions(db)
  return { ...mapped, attributes: Object.fromEntries(all.filter(([name]) => definitions.has(name))) }
}

/** The mapped values of a new user. */
export async function creationOf(db: Db, mapped: Mapped) {
  const { role, attributes, expires_at } = await withDefined(db, mapped)
  return {
    role,
    ...(typeof expires_at === 'string' && { expires_at }),
    ...(Object.keys(attributes).length > 0 && { attributes: attributesInput(attributes) }),
  }
}

/**
 * Applies what is synchronized at this moment.
 *
 * @throws AppError `last_admin`, `validation_failed`
 */
export async function applyMapping(
  ctx: ChangeContext,
  connection: ConnectionRow,
  { user_id, mapped: values, isNew }: { user_id: string; mapped: Mapped; isNew: boolean },
): Promise<void> {
  const mapped = await withDefined(ctx.db, values)
  const settings = settingsOf(connection)
  const by = asConnection(ctx, connection)
  if (!isNew) await updateUser(by, settings, user_id, mapped)
  if (setsGroups(settings, mapped) && (isNew || settings.group_sync === 'sign_in')) {
    await updateGroups(by, settings, user_id, mapped)
  }
}

/** Whether `applyMapping` has something to do for an existing user. Changes nothing. */
export async function isMappingDue(
  db: Db,
  connection: Pick<ConnectionRow, 'settings'>,
  user: users.UserRow,
  mapped: Mapped,
): Promise<boolean> {
  const settings = settingsOf(connection)
  const { setsRole, setsEnd, changed } = dueOf(settings, user, await withDefined(db, mapped))
  if (setsRole || setsEnd || changed.length > 0) return true
  if (!setsGroups(settings, mapped) || settings.group_sync !== 'sign_in') return false
  const before = new Set(
    (await groups.listGroupsOfUsers(db, scopeOf(system), [user.user_id])).map(({ group_id }) => group_id),
  )
  return Object.values(settings.groups).some((id) => before.has(id) !== mapped.groups.includes(id))
}

/** The mapping of an existing user: what a claim said nothing about is what the user has. Changes nothing. */
export async function keptMapping(
  db: Db,
  connection: Pick<ConnectionRow, 'settings'>,
  user: users.UserRow,
  mapped: Mapped,
): Promise<Mapped> {
  const role = isRead(mapped, 'role') ? mapped.role : user.role
  if (isRead(mapped, 'groups')) return { ...mapped, role }
  const before = new Set(
    (await groups.listGroupsOfUsers(db, scopeOf(system), [user.user_id])).map(({ group_id }) => group_id),
  )
  const ofMapping = new Set(Object.values(settingsOf(connection).groups))
  return { ...mapped, role, groups: [...ofMapping.intersection(before)] }
}

function isRead({ unread }: Mapped, member: UnreadClaim['sets']): boolean {
  return unread.every(({ sets }) => sets !== member)
}

function setsGroups({ group_claim }: Settings, mapped: Mapped): boolean {
  return group_claim !== null && isRead(mapped, 'groups')
}

function dueOf(settings: Settings, user: users.UserRow, mapped: Mapped) {
  const isRoleRead = settings.role_claim !== null && isRead(mapped, 'role')
  const setsRole = isRoleRead && settings.role_sync === 'sign_in' && user.role !== mapped.role
  const had = readValues(user.attributes) as Mapped['attributes']
  // Only SCIM writes the members that it manages.
  const isOurs = settings.attribute_sync === 'sign_in' && user.managed_by === null
  const all = isOurs ? Object.entries(mapped.attributes) : []
  return {
    setsRole,
    setsEnd: isEndOther(settings, user, mapped),
    changed: all.filter(([name, value]) => !isDeepStrictEqual(had[name], value)),
  }
}

/** SCIM, which may send the end date too, counts for the users whom it manages. */
function isEndOther(settings: Settings, user: users.UserRow, { expires_at }: Mapped): boolean {
  if (settings.expires_at_sync !== 'sign_in' || user.managed_by !== null) return false
  return expires_at !== undefined && expires_at !== user.access_ends_at
}

/** Whether the claims end the access of this existing user by now. */
export function isEndedByClaims(
  connection: Pick<ConnectionRow, 'settings'>,
  user: users.UserRow,
  mapped: Mapped,
  now: number,
): boolean {
  return isEndOther(settingsOf(connection), user, mapped) && hasPassed(mapped, now)
}

export function hasPassed({ expires_at }: Mapped, now: number): boolean {
  return typeof expires_at === 'string' && Date.parse(expires_at) <= now
}

/**
 * Applies the end date alone, for a user whom it refuses.
 *
 * @throws AppError `last_admin`
 */
export async function applyEnd(
  ctx: ChangeContext,
  connection: ConnectionRow,
  { user_id, expires_at }: { user_id: string; expires_at: string | null },
): Promise<void> {
  const by = asConnection(ctx, connection)
  await users.update(by, { user_id, input: { expires_at }, expected: undefined, override: true })
}

async function updateUser(ctx: ChangeContext, settings: Settings, user_id: string, mapped: Mapped): Promise<void> {
  const user = await users.findById(ctx.db, scopeOf(ctx.actor), user_id)
  if (user === undefined) throw users.signInFailed()
  const { setsRole, setsEnd, changed } = dueOf(settings, user, mapped)
  const setsAttributes = changed.length > 0
  if (!setsRole && !setsEnd && !setsAttributes) return
  const input = {
    ...(setsRole && { role: mapped.role }),
    ...(setsEnd && mapped.expires_at !== undefined && { expires_at: mapped.expires_at }),
    ...(setsAttributes && { attributes: attributesInput(Object.fromEntries(changed)) }),
  }
  await users.update(ctx, { user_id, input, expected: undefined, override: true })
}

/** Among the mapped groups, the user is in exactly those that the claims name. Other groups stay. */
async function updateGroups(ctx: ChangeContext, settings: Settings, user_id: string, mapped: Mapped): Promise<void> {
  const before = new Set(
    (await groups.listGroupsOfUsers(ctx.db, scopeOf(system), [user_id])).map(({ group_id }) => group_id),
  )
  for (const group_id of new Set(Object.values(settings.groups))) {
    const member = mapped.groups.includes(group_id)
    if (before.has(group_id) === member) continue
    const group = await groups.findGroup(ctx.db, scopeOf(ctx.actor), group_id)
    // A group that got an administering role later is not a way to it: only `roles` names administrators.
    if (group === undefined || (member && !mayBeGiven(ctx, group))) continue
    await members.setMember(ctx, { group_id, user_id, member })
  }
}

function mayBeGiven(ctx: ChangeContext, group: groups.GroupRow): boolean {
  if (group.role !== null && administeringRoles(ctx).includes(group.role)) return false
  return users.rolesThrough(ctx, group).every((role) => users.mayGrant(ctx, role))
}

function attributesInput(values: Mapped['attributes']) {
  return { by: 'provisioning' as const, values, areTexts: true as const }
}

/** Changes of users in the name of the connection, whose records name it. */
export function asConnection(ctx: ChangeContext, connection: ConnectionRow): ChangeContext {
  const { connection_id, name, organization_id } = connection
  const by = { ...ctx, actor: actorOf(connection) }
  return {
    ...by,
    record(entry) {
      const details = { ...entry.details, connection_id, connection: name }
      ctx.recordFor(by, { ...entry, details, related: { organization_id } })
    },
  }
}
