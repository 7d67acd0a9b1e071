import { Plural, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { ListedUser } from 'rollbook/client'
import { State } from '../../ui/state.tsx'
import { endState, formatEnd } from './end-date.ts'

type Props = {
  user: Pick<ListedUser, 'active' | 'expires_at' | 'membership_expires_at'>
  /** The state of the user, which matters more if they have no access or will soon have none. */
  otherwise: ReactNode
}

/** Among the members of a group: the membership ends soon. */
export function MembershipEnd({ user: { active, expires_at, membership_expires_at }, otherwise }: Props) {
  const { t, i18n } = useLingui()
  const now = Date.now()
  const end = endState(membership_expires_at, now)
  const isOther = !active || endState(expires_at, now) !== undefined
  if (end?.state !== 'soon' || membership_expires_at === undefined || isOther) return otherwise
  const time = formatEnd(membership_expires_at, i18n.locale)
  return (
    <State kind="warn" isLong>
      <span title={t`The membership ends on ${time}.`}>
        {end.days === 0 ? (
          t`Membership ends within a day`
        ) : (
          <Plural value={end.days} one="Membership ends in # day" other="Membership ends in # days" />
        )}
      </span>
    </State>
  )
}
