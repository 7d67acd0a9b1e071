/** Refuses the file of another system whose users look alike: their passwords and roles would be lost. */
import { OperatorError } from '../../core/errors.ts'
import { shownName } from '../../lib/shown-name.ts'
import type { JsonObject } from './json.ts'
import type { SourceName } from './source.ts'

/** Member names that are unique to the users of one system. */
const marks: Readonly<Record<Exclude<SourceName, 'csv'>, readonly string[]>> = {
  keycloak: ['realmRoles', 'clientRoles', 'requiredActions', 'createdTimestamp', 'disableableCredentialTypes'],
  auth0: ['logins_count', 'last_ip', 'custom_password_hash', 'last_password_reset'],
  supabase: ['encrypted_password', 'raw_app_meta_data', 'raw_user_meta_data', 'instance_id', 'aud'],
  kratos: ['traits', 'schema_id', 'verifiable_addresses'],
  firebase: ['localId', 'providerUserInfo'],
  django: ['is_superuser', 'is_staff', 'date_joined'],
  lldap: ['creation_date', 'creationDate', 'uuid', 'display_name', 'displayName'],
  pocketbase: ['collectionId', 'collectionName', 'emailVisibility', 'tokenKey'],
}

/**
 * Returns a check of the first user. Its own names decide: PocketBase and LLDAP let administrators add any others.
 *
 * @throws OperatorError if the user has names of another system, and none of `own`
 */
export function systemCheck(own: keyof typeof marks, expected: string): (user: JsonObject, place: string) => void {
  let isChecked = false
  return (user, place) => {
    if (isChecked) return
    isChecked = true
    if (marks[own].some((name) => name in user)) return
    for (const system of Object.keys(marks) as (keyof typeof marks)[]) {
      const mark = marks[system].find((name) => name in user)
      if (mark === undefined || system === own) continue
      throw new OperatorError(
        `${place} has ${shownName(mark)}, as in a file of another system: import it with --from ${system}. Expected ${expected}.`,
      )
    }
  }
}
