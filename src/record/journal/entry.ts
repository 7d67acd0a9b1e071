import { type Actor, type OrganizationOfActor, organizationOf } from '../../core/actor.ts'
import type { Changes, RecordedActor } from '../../store/journal-entry.ts'

/** Returns what differs between two states, member by member. In a missing state every member is null. */
export function changesOf(before: object | undefined, after: object | undefined, members: readonly string[]): Changes {
  const memberOf = (state: object | undefined, member: string) =>
    (state as Record<string, unknown> | undefined)?.[member] ?? null
  const changes: Changes = {}
  for (const member of members) {
    const [was, is] = [memberOf(before, member), memberOf(after, member)]
    // To readers of an audit record, an empty text and null are the same.
    if ((was ?? '') === (is ?? '')) continue
    if (typeof is !== 'object' || JSON.stringify(was) !== JSON.stringify(is))
      changes[member] = { before: was, after: is }
  }
  return changes
}

/** While an administrator acts as a user, the actor is the administrator: a search for them finds it, and so does erasure. */
export function recordedActor(actor: Actor): RecordedActor {
  const { kind, id, name, signedIn, personalKey } = actor
  if (signedIn?.impersonation !== undefined) {
    const { act, organization } = signedIn.impersonation
    const { session_id, user_id: acts_as } = signedIn
    return { kind, id: act.sub, name: act.username, session_id, acts_as, ...placeOf(organization) }
  }
  return {
    kind,
    id,
    name,
    ...(kind === 'api_key' && { key_id: id }),
    ...(personalKey && { key_id: personalKey.key_id }),
    ...(signedIn && { session_id: signedIn.session_id }),
    ...placeOf(organizationOf(actor)),
  }
}

function placeOf(organization: OrganizationOfActor | undefined): Pick<RecordedActor, 'organization_id'> {
  return organization === undefined ? {} : { organization_id: organization.organization_id }
}
