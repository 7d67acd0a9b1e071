/** The verdict on a row of an import, and the write that follows from it. */
import type { UserRow } from '../store.ts'
import type { Fault, Place } from './arrival.ts'
import type { BroughtFactors } from './factors.ts'
import type { Regrouping } from './groups.ts'

export type Verdict = Place &
  (
    | { verdict: 'created' | 'updated' | 'unchanged' | 'skipped'; user_id: string | null }
    | ({ verdict: 'rejected' } & Fault)
  )

/** The write for a verdict. If only memberships change, `next` is `found`. */
export type Write = {
  found: UserRow | undefined
  next: UserRow
  isMade?: boolean
  isInvited?: boolean
  factors?: BroughtFactors | undefined
  regrouping?: Regrouping | undefined
  /** The user's unique attribute values afterwards, each as `valueName` writes it. */
  uniqueValues: readonly string[]
}

/** The user as the following rows find it. */
export function stateAfter({ next, regrouping }: Omit<Write, 'uniqueValues'>): UserRow {
  return regrouping === undefined ? next : { ...next, group_roles: regrouping.group_roles }
}
