/** The part of the configuration that rules depend on, and the permissions of roles. */
import type { Config } from './config.ts'
import type { InactivityPolicy } from './inactivity.ts'
import { everythingLimited, includesPermission, limitedPermissions } from './permissions.ts'
import type { SecondFactorPolicy } from './second-factor.ts'
import type { Roles } from './settings/access.ts'
import { rolesOfIssuer } from './trusted-issuers.ts'

/** The part of the configuration that the rules depend on. Roles and policies can be stored too, and change while the service runs. */
export type Rules = {
  /** The permissions of each role in force: the built-in roles, those of ROLLBOOK_ROLES, and the stored ones. */
  roles: Roles
  /** The built-in roles and those of ROLLBOOK_ROLES. They win over stored roles of the same name. */
  configuredRoles: Roles
  /** Roles that are being replaced: they still give their permissions, but no user or group can be given one. */
  closedRoles: readonly string[]
  keyRotationOverlapSeconds: number
  sessionSeconds: number
  sessionIdleSeconds: number
  /** Whether messages are sent. Otherwise none are queued, and administrators pass links on themselves. */
  sendsMail: boolean
  /** The roles that ROLLBOOK_TRUSTED_ISSUERS names, by issuer. */
  rolesOfIssuers: Readonly<Record<string, readonly string[]>>
  secondFactor: SecondFactorPolicy
  /** ROLLBOOK_SECOND_FACTOR, which wins over a stored policy. Undefined: it is not set. */
  configuredSecondFactor: SecondFactorPolicy | undefined
  /** Undefined: users are not disabled for inactivity. */
  inactivity: InactivityPolicy | undefined
  /** From when on the policy is enforced, in epoch milliseconds. */
  secondFactorFromMs: number
  /** For how long users may trust a browser; 0: not at all. */
  trustBrowserDays: number
  /** Whether users can sign in with a code by email. */
  sendsCodes: boolean
  /** The ids of organizations that are disabled: nothing of theirs is accepted. */
  disabledOrganizations: ReadonlySet<string>
  /** The ids of organizations whose members need a second factor, whatever the policy says. */
  secondFactorOrganizations: ReadonlySet<string>
}

/** Without a policy no user needs a second factor. */
const optional: SecondFactorPolicy = Object.freeze({ '*': 'optional' })

/** The rules of the settings alone. While the service runs, `storage.rules` has those in force. */
export function rulesOf(config: Config): Rules {
  const { roles, keyRotationOverlapSeconds, sessionSeconds, sessionIdleSeconds, secondFactor, trustBrowserDays } =
    config
  const sendsMail = config.smtpUrl !== undefined
  const secondFactorFromMs = config.secondFactorFrom === undefined ? 0 : Date.parse(config.secondFactorFrom)
  return {
    roles,
    configuredRoles: roles,
    closedRoles: [],
    rolesOfIssuers: Object.fromEntries((config.trustedIssuers ?? []).map((one) => [one.issuer, rolesOfIssuer(one)])),
    keyRotationOverlapSeconds,
    sessionSeconds,
    sessionIdleSeconds,
    sendsMail,
    secondFactor: secondFactor ?? optional,
    configuredSecondFactor: secondFactor,
    inactivity: undefined,
    secondFactorFromMs,
    trustBrowserDays,
    sendsCodes: sendsMail && config.emailCode === 'on',
    disabledOrganizations: new Set(),
    secondFactorOrganizations: new Set(),
  }
}

/** Whether an organization may use its access; so may who belongs to none. */
export function isOrganizationActive(
  { disabledOrganizations }: Pick<Rules, 'disabledOrganizations'>,
  { organization_id }: { organization_id: string | null },
): boolean {
  return organization_id === null || !disabledOrganizations.has(organization_id)
}

/** The permissions of a role. None if the role is not (or no longer) configured, even if it is named "constructor". */
export function permissionsOfRole(roles: Rules['roles'], role: string): readonly string[] {
  return (Object.hasOwn(roles, role) && roles[role]) || []
}

/** The roles that a user has through groups; `group_roles` is separated by spaces. */
export function rolesOfGroups(group_roles: string): string[] {
  return group_roles === '' ? [] : group_roles.split(' ')
}

/** The union of the permissions of the user's own role and of their groups' roles. */
export function permissionsOfUser(
  roles: Rules['roles'],
  { role, group_roles }: { role: string; group_roles: string },
): readonly string[] {
  if (group_roles === '') return permissionsOfRole(roles, role)
  const all = [role, ...rolesOfGroups(group_roles)].flatMap((name) => permissionsOfRole(roles, name))
  return [...new Set(all)]
}

export function holds(permissions: readonly string[], permission: string): boolean {
  return permissions.some((held) => includesPermission(held, permission))
}

/** The permissions that both hold. */
export function heldByBoth(some: readonly string[], others: readonly string[]): readonly string[] {
  if (some.includes('*')) return others
  const [one, other] = [spelledOut(some, others), spelledOut(others, some)]
  const shared = one.filter((permission) => holds(other, permission))
  // A whole word of one side and the limited word of the other side have the limited word in common.
  return [...new Set([...shared, ...other.filter((permission) => holds(one, permission))])]
}

/** With each limited permission, where `*@organization` is more than the others hold. */
function spelledOut(permissions: readonly string[], others: readonly string[]): readonly string[] {
  const isMore = permissions.includes(everythingLimited) && !holds(others, everythingLimited)
  return isMore ? [...permissions, ...limitedPermissions] : permissions
}
