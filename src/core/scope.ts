/** What a call concerns: everyone, or what belongs to the organization of its caller. */
import { type Actor, organizationOf } from './actor.ts'
import { AppError } from './errors.ts'
import { formatPermission, isScopable, parsePermission, type ScopablePermission } from './permissions.ts'
import { holds } from './rules.ts'

declare const fromCaller: unique symbol

/**
 * Everyone, or one organization. It is data, so that it can be part of a query that another thread runs. Only `scopeOf` creates one: a
 * query that requires it cannot be written without a caller, or with an organization that a request names.
 */
export type Scope = ({ kind: 'everyone' } | { kind: 'organization'; organization_id: string }) & {
  readonly [fromCaller]: true
}

const everyone = Object.freeze({ kind: 'everyone' }) as Scope

/** The scope of a call. Rollbook itself concerns everyone: `scopeOf(system)`. */
export function scopeOf({ limitedTo }: Pick<Actor, 'limitedTo'>): Scope {
  return limitedTo === undefined ? everyone : ({ kind: 'organization', organization_id: limitedTo } as Scope)
}

/** What decides about the scope of a caller: the permissions, and the organization of the user, key or connection that calls. */
export type Caller = Pick<Actor, 'permissions' | 'limitedTo' | 'signedIn' | 'personalKey' | 'organization'>

/**
 * The caller of an operation that needs this permission: unchanged with the whole permission, and limited to the organization with the
 * limited one. Without an organization a limited permission permits nothing.
 *
 * @throws AppError `permission_denied`
 */
export function limitedBy<One extends Caller>(caller: One, permission: ScopablePermission): One {
  const { permissions, limitedTo } = caller
  const isLimited = holds(permissions, formatPermission({ word: permission, isLimited: true }))
  const own = organizationOf(caller)
  // A call that is limited already needs no more than its limited permissions.
  if (holds(permissions, permission) || (isLimited && limitedTo !== undefined)) return caller
  if (isLimited && own !== undefined) return { ...caller, limitedTo: own.organization_id }
  throw isLimited ? withoutOrganization(permission) : lacking(permission)
}

/**
 * The same for an operation whose permission cannot be limited: limited with one of these.
 *
 * @throws AppError `permission_denied`
 */
export function limitedByAny<One extends Caller>(
  caller: One,
  permission: string,
  limited: readonly ScopablePermission[],
): One {
  const { permissions, limitedTo } = caller
  if (holds(permissions, permission)) return caller
  const own = limitedTo ?? organizationOf(caller)?.organization_id
  const isLimited = limited.some((word) => holds(permissions, formatPermission({ word, isLimited: true })))
  if (isLimited && own !== undefined) return { ...caller, limitedTo: own }
  throw lacking(permission)
}

function withoutOrganization(permission: string): AppError {
  const limited = formatPermission({ word: permission, isLimited: true })
  const detail = `Your permission ${limited} is about your organization only, and you belong to none.`
  return new AppError('permission_denied', detail, challengeFor(permission))
}

export function lacking(permission: string): AppError {
  return new AppError('permission_denied', `You need the permission ${permission}.`, challengeFor(permission))
}

/** RFC 6750 §3.1. */
function challengeFor(permission: string) {
  const challenge = `Bearer realm="rollbook", error="insufficient_scope", scope="${permission}"`
  return { headers: { 'www-authenticate': challenge } }
}

/** Whether the caller has a further permission, in the scope of the call. */
export function permits(actor: Pick<Actor, 'permissions' | 'limitedTo'>, permission: string): boolean {
  return holds(actor.permissions, inScopeOf(actor, permission))
}

/** The form in which a call needs a permission: limited, if the call is and the permission can be. */
export function inScopeOf({ limitedTo }: Pick<Actor, 'limitedTo'>, permission: string): string {
  return formatPermission({ word: permission, isLimited: limitedTo !== undefined && isScopable(permission) })
}

/** What a limited caller reads instead of the name of something outside their organization. */
export const outside = {
  administrator: 'an administrator of the service',
  group: 'a group of the service',
  connection: 'a connection of the service',
} as const

/** And instead of its id, where one is needed. */
export const outsideId = '00000000-0000-0000-0000-000000000000'

/**
 * Whether a permission of the caller reaches as far as this call. A limited one is about the caller's own organization, so in a call about
 * everyone only the whole one counts: the users and keys of that call can belong to another organization.
 */
export function holdsInCall(actor: Pick<Actor, 'permissions' | 'limitedTo'>, permission: string): boolean {
  const { word, isLimited } = parsePermission(permission)
  return holds(actor.permissions, isLimited && actor.limitedTo === undefined ? word : permission)
}

/**
 * Whether the caller may give a permission to a user, a group or a key: one that the caller has, and in a limited call only one that is
 * limited, so that nothing given there reaches outside the organization.
 */
export function mayGivePermission(actor: Pick<Actor, 'permissions' | 'limitedTo'>, permission: string): boolean {
  return holdsInCall(actor, permission) && (actor.limitedTo === undefined || parsePermission(permission).isLimited)
}

type Owned = { organization_id?: string | null | undefined }

/**
 * Input of a creation: in a limited call, what is created belongs to the organization of the caller.
 *
 * @throws AppError `permission_denied` if the input names an organization in a limited call
 */
export function withinOrganization<Input extends Owned>(
  actor: Pick<Actor, 'limitedTo'>,
  input: Input,
): Input & Pick<Owned, 'organization_id'> {
  refuseNamedOrganization(actor, input)
  return actor.limitedTo === undefined ? input : { ...input, organization_id: actor.limitedTo }
}

/** A limited caller neither moves nor chooses an organization. @throws AppError `permission_denied` */
export function refuseNamedOrganization({ limitedTo }: Pick<Actor, 'limitedTo'>, { organization_id }: Owned): void {
  if (limitedTo === undefined || organization_id === undefined) return
  const detail =
    'Your permission is limited to your organization, so you cannot name one. Leave out the organization: what you create belongs to yours.'
  throw new AppError('permission_denied', detail)
}
