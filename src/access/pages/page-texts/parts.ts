/** The parts of the texts that have one member for each code of another feature. A new code is a type error until it has a text. */
import type { BuiltInPermission } from '../../../core/permissions.ts'
import type { LinkRow } from '../../../directory/links/service.ts'
import type { PasswordFault } from '../../../directory/passwords/service.ts'
import type { SignInTrial } from '../../providers/connections/schema.ts'
import type { Reason, RefusalReason } from '../../providers/connections/service.ts'

export type Words = { title: string; detail: string }

export type PasswordFaults = Record<PasswordFault['code'] | 'same_as_before' | 'other', string>
export type WhyEnded = Record<NonNullable<LinkRow['ended_reason']>, string>
export type Reasons = Record<Reason, Words>
/** What an administrator can do about a refusal. */
export type TestDetails = Record<RefusalReason, string>
export type TestOutcomes = Record<SignInTrial['outcome'], string>

export type PermissionSubject =
  | 'users'
  | 'groups'
  | 'organizations'
  | 'sessions'
  | 'records'
  | 'roles'
  | 'access'
  | 'attributes'
  | 'provisioning'
  | 'connections'
  | 'events'
  | 'mails'
  | 'branding'
  | 'configuration'
  | 'reviews'

export type PermissionWords = {
  /** Opens the subjects that are rarely used. */
  more: string
  /** The heading of the product's own permissions. */
  ofProduct: string
  /** The meaning of a permission that is limited to the user's organization. */
  limited: (meaning: string) => string
  subjects: Record<PermissionSubject, string>
  meanings: Record<BuiltInPermission, string>
}
