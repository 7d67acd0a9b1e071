import { useMemberLabel } from './member-labels.ts'

/** A member of a record: its label, with the API's name in the title; code where there is only that. */
export function MemberName({ member }: { member: string }) {
  const label = useMemberLabel()(member)
  return label === undefined ? <code dir="ltr">{member}</code> : <span title={member}>{label}</span>
}
