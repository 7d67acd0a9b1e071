/** Decides whether the caller may use a route. Each route declares what it requires and whom it serves; a route without stops the start. */
import type { FastifyContextConfig, FastifyInstance } from 'fastify'
import { type Actor, type Duty, dutyOf, personBehind } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import { type Access, isScopable, type RouteScope, type ScopablePermission } from '../../core/permissions.ts'
import { lacking, limitedBy, limitedByAny, permits } from '../../core/scope.ts'
import type { Recent } from './recent-authentication.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** Whether callers whose permission is limited to their organization may use the route too. */
    scope?: RouteScope
    /** The limited permissions with which callers may use it for their organization, if its own permission cannot be limited. */
    limitedAccess?: readonly ScopablePermission[]
    /** Requests that need no credential after all. */
    isOpenTo?: (request: FastifyRequest) => boolean
    /** Also allowed while the session must do this first. */
    during?: readonly Duty[]
    /** A user may also do it with a personal key. Otherwise `user` means a session. */
    byPersonalKey?: boolean
    /** Whether an administrator who acts as the user may call this. Default: only what reads. */
    duringImpersonation?: boolean
    /** Whether a session must have been authenticated in the last minutes for this; some bodies need it, others do not. */
    recent?: Recent
  }
}

export function requireDeclaredAccess(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.access === undefined) throw new Error(`The route ${method} ${url} does not declare its access.`)
    const { access, scope, limitedAccess } = config
    if (scope === undefined) throw new Error(`The route ${method} ${url} does not declare its scope.`)
    if (scope === 'organization' && !isScopable(access) && limitedAccess === undefined) {
      throw new Error(
        `The route ${method} ${url} cannot have the scope organization: ${access} cannot be limited to one.`,
      )
    }
  })
}

/**
 * Returns the caller of a route: limited to their organization, if the route serves such callers and their permission is limited.
 *
 * @throws AppError as `refuseWithout`
 */
export function admitted(actor: Actor, config: FastifyContextConfig, method: string): Actor {
  const { access, scope, limitedAccess } = config
  if (scope === 'organization' && access !== undefined) {
    refuseOnDuty(actor, config, method)
    if (isScopable(access)) return limitedBy(actor, access)
    if (limitedAccess !== undefined) return limitedByAny(actor, access, limitedAccess)
  }
  refuseWithout(actor, config, method)
  return actor
}

/**
 * @throws AppError `factor_required`, `password_change_required`, `not_while_impersonating`, `user_required`,
 *   `permission_denied`
 */
export function refuseWithout(actor: Actor, config: FastifyContextConfig, method = 'GET'): void {
  const { access, byPersonalKey = false } = config
  refuseOnDuty(actor, config, method)
  if (access === 'any' || access === 'public') return
  if (access === 'user') {
    if (actor.personalKey !== undefined && !byPersonalKey) {
      throw new AppError('user_required', 'A personal key may not do this. Sign in first.')
    }
    if (personBehind(actor) === undefined) {
      throw new AppError(
        'user_required',
        'Only a signed-in user may do this; the credential does not belong to a user.',
      )
    }
    // Such a token is meant for a service, which must not sign its user out or rename the user.
    if (actor.isNarrowed && !isRead(method)) {
      throw new AppError('permission_denied', 'An access token with fewer permissions than its user can only read.')
    }
    return
  }
  if (access === undefined || !permits(actor, access)) throw lacking(String(access))
}

/** @throws AppError `factor_required`, `password_change_required`, `not_while_impersonating` */
function refuseOnDuty(actor: Actor, config: FastifyContextConfig, method: string): void {
  refuseImpersonation(actor, config, method)
  const duty = dutyOf(actor)
  if (duty !== undefined && !config.during?.includes(duty)) throw dutyFirst(actor, duty)
}

/** Names the way out, and signing out, which is always possible. */
function dutyFirst({ personalKey }: Actor, duty: Duty): AppError {
  if (duty === 'add_factor') {
    const detail =
      'You need a second factor. Add one with POST /me/factors/totp, or confirm with one that you have: ' +
      'POST /sessions/current/reauthentication. You can also sign out: DELETE /sessions/current.'
    return new AppError('factor_required', detail)
  }
  const detail =
    personalKey === undefined
      ? 'You must change your password first, with POST /me/password. You can also sign out: DELETE /sessions/current.'
      : 'The owner of this key must change the password first: sign in with POST /sessions, then POST /me/password.'
  return new AppError('password_change_required', detail)
}

/** Refuses changes by an administrator who acts as a user. @throws AppError `not_while_impersonating` */
export function refuseImpersonation(
  { signedIn }: Actor,
  { duringImpersonation }: FastifyContextConfig,
  method: string,
): void {
  if (signedIn?.impersonation === undefined || (duringImpersonation ?? isRead(method))) return
  const detail =
    'You act as another user, and can change nothing as such. Stop with DELETE /sessions/current, then use your own session.'
  throw new AppError('not_while_impersonating', detail)
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}
