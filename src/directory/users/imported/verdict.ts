/** The verdict on a row of an import: the write that follows from it, or why it is rejected. */
import { AppError, type ProblemCode } from '../../../core/errors.ts'
import { nameTaken, uniqueNames } from '../names.ts'
import type { UserRow } from '../store.ts'
import type { Fault, Match, Place, RowOptions, SoundArrival } from './arrival.ts'
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
  if (regrouping === undefined) return next
  const { group_roles, ending_roles } = regrouping
  return { ...next, group_roles, ending_roles }
}

/** What the member that identifies users is called in a sentence. */
export const nameOf: Record<Match, string> = {
  username: 'username',
  email: 'email address',
  external_id: 'external_id',
  user_id: 'user_id',
}

export function refusal(member: string, code: ProblemCode, detail: string): AppError {
  return new AppError(code, detail, { errors: [{ pointer: `#/${member}`, code, detail }] })
}

export function takenRefusal(match: Match): AppError {
  const rule = uniqueNames.find(({ member }) => member === match)
  return rule ? nameTaken(rule) : refusal('user_id', 'user_id_taken', 'Another user already has this user_id.')
}

/** Returns why a row is rejected even though existing users are skipped or updated. */
export function whyNew({ input, imported }: SoundArrival, { existing, match }: RowOptions): string {
  if (existing === 'reject') return ''
  const isGiven = { ...input, user_id: imported.user_id }[match] != null
  return isGiven ? `No user has this ${nameOf[match]}, so the row is a new user. ` : ''
}

/** The fault of a row that a rule refused. */
export function faultOf({ code, message, errors }: AppError): Fault {
  return errors?.[0] ?? { code, pointer: pointers[code] ?? null, detail: message }
}

const pointers: Partial<Record<ProblemCode, string>> = {
  role_not_grantable: '#/role',
  user_outranks_caller: '#/role',
}
