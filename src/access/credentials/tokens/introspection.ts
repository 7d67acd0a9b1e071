/**
 * The rules of introspection and revocation (RFC 7662, RFC 7009). Leaves recognizing credentials to
 * access/credentials/authentication/authenticate.ts, and ending sessions and keys to their services.
 */

import { type Actor, dutyOf, personBehind } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import { holds, permissionsOfUser, type Rules } from '../../../core/rules.ts'
import type { Credential } from '../../../http/request/credential.ts'
import { revoke } from '../../../record/revocations/service.ts'
import type { ChangeContext } from '../../../store/context.ts'
import type { Target } from '../../../store/journal-entry.ts'
import { authenticationOf, type ClaimedCredential, clientOf, organizationClaims } from './claims.ts'
import type { Introspection } from './schema.ts'

/** Revokes one access token; others of the same session or key stay valid. */
export async function revokeToken(
  ctx: ChangeContext,
  { jti, holder }: { jti: string; holder: Target },
): Promise<{ jti: string }> {
  revoke(ctx, { kind: 'token', id: jti })
  ctx.record({ action: 'token.revoked', target: holder, details: { jti } })
  return { jti }
}

/** Describes a valid credential; for any other, whatever the reason, only that it is not active. */
export function introspect(found: ClaimedCredential | undefined, issuer: string): Introspection {
  // A user who must do something first can do nothing else here, and must not elsewhere either.
  if (found === undefined || dutyOf(found.actor) !== undefined) return { active: false }
  const { kind, actor, issuedAtMs, endsAtMs, claims } = found
  const { id, name, permissions, signedIn } = actor
  const person = personBehind(actor)
  return {
    active: true,
    token_type: kind,
    iss: actor.kind === 'service' ? issuerOf(actor) : issuer,
    // For a trusted issuer with the issuer in front: its `sub` may look like the id of one of our users.
    sub: id,
    client_id: clientOf(actor),
    ...(person && { username: person.username, email: person.email, role: person.role }),
    ...(signedIn && { sid: signedIn.session_id, ...authenticationOf(signedIn) }),
    ...(signedIn?.impersonation && { act: signedIn.impersonation.act }),
    ...organizationClaims(actor),
    name: person === undefined ? name : `${person.first_name} ${person.last_name}`.trim(),
    permissions: [...permissions],
    scope: permissions.join(' '),
    ...(claims && { jti: claims.jti, aud: claims.aud }),
    iat: Math.floor(issuedAtMs / 1000),
    ...(Number.isFinite(endsAtMs) && { exp: Math.floor(endsAtMs / 1000) }),
  }
}

/** The id of a service is `<issuer>|<subject>`. */
function issuerOf({ id, name }: Actor): string {
  return id.slice(0, -name.length - 1)
}

/**
 * Callers may revoke their own credentials. Others require the permission, and at least the other's permissions: otherwise
 * the least privileged administrator could lock out the most privileged.
 *
 * @throws AppError `permission_denied`, `user_outranks_caller`, `permission_not_grantable`
 */
export function refuseRevoking(caller: Actor, { actor }: Credential, rules: Rules): void {
  if (caller.kind === actor.kind && caller.id === actor.id) return
  const person = personBehind(actor)
  const needed = actor.signedIn === undefined ? 'keys:write' : 'sessions:write'
  if (!holds(caller.permissions, needed)) throw new AppError('permission_denied', `You need the permission ${needed}.`)
  const rights = person === undefined ? actor.permissions : permissionsOfUser(rules.roles, person)
  if (rights.every((permission) => holds(caller.permissions, permission))) return
  throw person === undefined
    ? new AppError('permission_not_grantable', 'This key has permissions that your credential lacks.')
    : new AppError(
        'user_outranks_caller',
        'The credential belongs to a user with permissions that your credential lacks.',
      )
}
