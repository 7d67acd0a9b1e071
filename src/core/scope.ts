/** What a caller sees of users, groups and everything else that can belong to an organization. */
import type { Actor } from './actor.ts'
import { AppError } from './errors.ts'
import { formatPermission, type ScopablePermission } from './permissions.ts'
import { holds } from './rules.ts'

declare const fromCaller: unique symbol

/**
 * Everyone, or what belongs to one organization. It is data, so that it can be part of a query that another thread runs. Only
 * `scopeOf` creates one: a query cannot be written without a caller, or with the organization that a request names.
 */
export type Scope = ({ kind: 'everyone' } | { kind: 'organization'; organization_id: string }) & {
  readonly [fromCaller]: true
}

type Caller = Pick<Actor, 'permissions'> & { organization_id?: string | null }

/**
 * The scope in which the caller holds a permission. A limited permission means nothing without an organization.
 *
 * @throws AppError `permission_denied`
 */
export function scopeOf({ permissions, organization_id }: Caller, permission: ScopablePermission): Scope {
  if (holds(permissions, permission)) return everyone
  const isLimited = holds(permissions, formatPermission({ word: permission, isLimited: true }))
  if (isLimited && organization_id !== undefined && organization_id !== null) {
    return scope({ kind: 'organization', organization_id })
  }
  throw new AppError('permission_denied', `You need the permission ${permission}.`)
}

function scope(found: { kind: 'everyone' } | { kind: 'organization'; organization_id: string }): Scope {
  return Object.freeze(found) as Scope
}

const everyone = scope({ kind: 'everyone' })
