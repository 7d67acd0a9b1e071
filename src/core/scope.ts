/** What a call concerns: everyone, or what belongs to the organization of its caller. */
import type { Actor } from './actor.ts'
import { AppError } from './errors.ts'
import { formatPermission, isScopable, type ScopablePermission } from './permissions.ts'
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

/** `organization_id`: the organization of the user, key or connection that calls. */
export type Caller = Pick<Actor, 'permissions' | 'limitedTo'> & { organization_id?: string | null }

/**
 * The caller of an operation that needs this permission: unchanged with the whole permission, and limited to the organization with the
 * limited one. Without an organization a limited permission permits nothing.
 *
 * @throws AppError `permission_denied`
 */
export function limitedBy<
  Caller extends Pick<Actor, 'permissions' | 'limitedTo'> & { organization_id?: string | null },
>(caller: Caller, permission: ScopablePermission): Caller {
  const { permissions, organization_id, limitedTo } = caller
  const isLimited = holds(permissions, formatPermission({ word: permission, isLimited: true }))
  // A call that is limited already needs no more than its limited permissions.
  if (holds(permissions, permission) || (isLimited && limitedTo !== undefined)) return caller
  if (isLimited && typeof organization_id === 'string') return { ...caller, limitedTo: organization_id }
  throw new AppError('permission_denied', `You need the permission ${permission}.`)
}

/** Whether the caller has a further permission, in the scope of the call. */
export function permits(
  { permissions, limitedTo }: Pick<Actor, 'permissions' | 'limitedTo'>,
  permission: string,
): boolean {
  return holds(
    permissions,
    formatPermission({ word: permission, isLimited: limitedTo !== undefined && isScopable(permission) }),
  )
}
