/** Refuses the file of another system whose users look alike: their passwords and roles would be lost. */
import { OperatorError } from '../../core/errors.ts'
import { shownName } from '../../lib/shown-name.ts'
import type { JsonObject } from './json.ts'
import type { SourceName } from './source-names.ts'

/** Member names that are unique to the users of one system. */
const marks: Readonly<Record<Exclude<SourceName, 'csv' | 'json' | 'ldif' | 'zitadel'>, readonly string[]>> = {
  keycloak: ['realmRoles', 'clientRoles', 'requiredActions', 'createdTimestamp', 'disableableCredentialTypes'],
  auth0: ['logins_count', 'last_ip', 'custom_password_hash', 'last_password_reset'],
  supabase: ['encrypted_password', 'raw_app_meta_data', 'raw_user_meta_data', 'instance_id', 'aud'],
  kratos: ['traits', 'schema_id', 'verifiable_addresses'],
  authentik: ['ak_groups', 'totp_devices'],
  firebase: ['localId', 'providerUserInfo'],
  django: ['is_superuser', 'is_staff', 'date_joined'],
  lldap: ['creation_date', 'creationDate', 'uuid', 'display_name', 'displayName'],
  pocketbase: ['collectionId', 'collectionName', 'emailVisibility', 'tokenKey'],
  entra: ['userPrincipalName'],
  'google-workspace': ['primaryEmail', 'Email Address [Required]'],
  okta: ['statusChanged', 'transitioningToStatus'],
  clerk: ['primary_email_address', 'primary_email_address_id', 'email_addresses', 'password_hasher'],
  fusionauth: ['insertInstant', 'encryptionScheme', 'registrations', 'lastLoginInstant'],
  wordpress: ['user_login', 'user_pass', 'user_registered'],
  discourse: ['trust_level', 'suspended_till', 'password_algorithm'],
  gitlab: ['projects_limit', 'web_url', 'otp_required_for_login', 'last_activity_on', 'sign_in_count'],
  logto: ['primary_email', 'isSuspended', 'is_suspended', 'lastSignInAt', 'password_encryption_method'],
  'better-auth': ['banExpires', 'banReason', 'displayUsername', 'twoFactorEnabled', 'credentialPassword'],
  scim: ['userName'],
}
export type MarkedSystem = keyof typeof marks

/** Names that several systems have: they are no proof. */
const shared = new Set(['encrypted_password'])

export function marksOf(system: MarkedSystem): readonly string[] {
  return marks[system]
}

/**
 * Returns a check of the first user. Its own names decide: PocketBase and LLDAP let administrators add any others.
 *
 * @throws OperatorError if the user has names of another system, and none of `own`; with `isStrict` also if it has none at all
 */
export function systemCheck(
  own: MarkedSystem,
  expected: string,
  { isStrict = false } = {},
): (user: JsonObject, place: string) => void {
  let isChecked = false
  return (user, place) => {
    if (isChecked) return
    isChecked = true
    if (marks[own].some((name) => name in user && !shared.has(name))) return
    for (const system of Object.keys(marks) as MarkedSystem[]) {
      const mark = marks[system].find((name) => name in user)
      if (mark === undefined || system === own) continue
      throw new OperatorError(
        `${place} has ${shownName(mark)}, as in a file of another system: import it with --from ${system}. Expected ${expected}.`,
      )
    }
    if (isStrict) throw new OperatorError(`${place} has none of ${marks[own].join(', ')}; expected ${expected}.`)
  }
}

/** The system that an entry looks like, for a hint. */
export function systemOf(user: JsonObject): MarkedSystem | undefined {
  // Systems with distinctive member names come last in the list.
  return (Object.keys(marks) as MarkedSystem[])
    .toReversed()
    .find((system) => marks[system].some((name) => name in user))
}
