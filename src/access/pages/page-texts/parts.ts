/** The parts of the texts that have one member for each code of another feature. A new code is a type error until it has a text. */
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
