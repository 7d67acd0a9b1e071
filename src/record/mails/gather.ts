/** Gathers ordinary notices to one user in one message, which waits in the outbox. */
import type { GatheredData, GatheredNotice, MailData, MailKind } from './kinds.ts'

/** So many of a kind are stated one by one: a kind that is caused at will can hide none of another kind, nor grow without end. */
const statedPerKind = 10

/** Adds a notice. The same as before is counted, and so is everything beyond the limit of its kind. */
export function withNotice(data: GatheredData, kind: MailKind, added: MailData): GatheredData {
  const { notices } = data
  const same = notices.findLast((one) => one.kind === kind && isSame(kind, one.data, added))
  const ofKind = notices.filter((one) => one.kind === kind)
  const counting = same ?? (ofKind.length < statedPerKind ? undefined : ofKind.at(-1))
  if (counting === undefined) return { ...data, notices: [...notices, { kind, data: added, count: 1 }] }
  const counted: GatheredNotice = { kind, data: added, count: counting.count + 1 }
  return { ...data, notices: notices.map((one) => (one === counting ? counted : one)) }
}

/** Kinds whose time is not when it happened, but when something ends. */
const ofEnds: readonly MailKind[] = [
  'certificate_expiring',
  'access_ending',
  'membership_ending',
  'inactivity_notice',
  'review_due',
]

function isSame(kind: MailKind, one: MailData, other: MailData): boolean {
  const names = Object.keys({ ...one, ...other }) as (keyof MailData)[]
  return names.every((name) => one[name] === other[name] || (name === 'time' && !ofEnds.includes(kind)))
}
