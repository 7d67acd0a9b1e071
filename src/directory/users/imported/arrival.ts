/** What an import brings: the rows of a batch, each checked, or with its fault. */
import type { InputFault } from '../../../core/errors.ts'
import type { UserInput } from '../input.ts'
import type { Brought } from '../rows.ts'
import type { Names } from '../store.ts'
import type { BroughtFactors } from './factors.ts'

export type Match = 'username' | 'email' | 'external_id' | 'user_id'

export type RowOptions = {
  /** How to treat an existing user: reject, skip or update. */
  existing: 'reject' | 'skip' | 'update'
  /** The member that identifies an existing user. */
  match: Match
}

/** The number of the row in the file, and the line on which it starts; null if unknown. */
export type Place = { row: number; line?: number | null }

/** One user to import: the row's values, or its fault. */
export type Arrival = Place &
  (
    | {
        input: UserInput
        imported: Brought
        /** The user's groups afterwards, by the key of their name; if absent, memberships stay. */
        groups?: readonly string[]
        /** The organization, if the row names it otherwise than by `organization_id`. */
        organization?: OrganizationNamed
        /** The user had a password when the row was checked, so the row's password was ignored. */
        isPasswordLeft?: true
        /** Whether to invite the user, unless there is a password or an invitation. */
        isInvited?: true
        /** Second factors for a user who has none. */
        factors?: BroughtFactors
      }
    | { fault: Fault }
  )

/** A name in the form in which names are compared, and the id if the text is one. */
export type OrganizationNamed = { name_key: string; id?: string }

/** An arrival without a fault. */
export type SoundArrival = Exclude<Arrival, { fault: Fault }>

export type Fault = Pick<InputFault, 'code' | 'detail'> & { pointer: string | null }

/** The values by which the rows may match or conflict with existing users. */
export function namesOf(arrivals: readonly Arrival[]): Names {
  const names = { user_ids: new Set<string>(), username_keys: new Set<string>(), email_keys: new Set<string>() }
  const externalIds = new Set<string>()
  for (const arrival of arrivals) {
    if ('fault' in arrival) continue
    const { username_key, email_key, external_id } = arrival.input
    if (username_key !== undefined) {
      names.username_keys.add(username_key)
      if (username_key.includes('@')) names.email_keys.add(username_key)
    }
    if (email_key) {
      names.email_keys.add(email_key)
      names.username_keys.add(email_key)
    }
    if (external_id) externalIds.add(external_id)
    if (arrival.imported.user_id !== undefined) names.user_ids.add(arrival.imported.user_id)
  }
  return {
    user_ids: [...names.user_ids],
    username_keys: [...names.username_keys],
    email_keys: [...names.email_keys],
    external_ids: [...externalIds],
  }
}

/** The organizations that the rows name. */
export function organizationsOf(arrivals: readonly Arrival[]): { ids: string[]; name_keys: string[] } {
  const sound = arrivals.filter((arrival): arrival is SoundArrival => !('fault' in arrival))
  const ids = sound.flatMap(({ input, organization }) => input.organization_id ?? organization?.id ?? [])
  const keys = sound.flatMap(({ organization }) => organization?.name_key ?? [])
  return { ids: [...new Set(ids)], name_keys: [...new Set(keys)] }
}

/** The groups that the rows name, by their keys; undefined if no row has groups. */
export function groupKeysOf(arrivals: readonly Arrival[]): string[] | undefined {
  const lists = arrivals.flatMap((arrival) => ('groups' in arrival && arrival.groups ? [arrival.groups] : []))
  return lists.length === 0 ? undefined : [...new Set(lists.flat())]
}
