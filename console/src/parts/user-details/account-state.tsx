import { Plural, useLingui } from '@lingui/react/macro'
import type { User } from 'rollbook/client'
import { useManagerName } from '../../data/provisioning.ts'
import { State } from '../../ui/state.tsx'
import { UserState } from '../../ui/user-state.tsx'
import { type EndState, endState, formatEnd } from '../end-date/end-date.ts'

type Props = {
  user: Pick<User, 'active' | 'expires_at' | 'has_password' | 'invited' | 'kind' | 'managed_by'>
  isLocked?: boolean
}

/** The state of a user. One whom an identity provider manages needs no password here, so none is missing. */
export function AccountState({ user, isLocked = false }: Props) {
  const { active, expires_at, has_password, invited, kind, managed_by } = user
  const end = active ? endState(expires_at, Date.now()) : undefined
  if (end !== undefined && expires_at !== undefined) return <End end={end} expires_at={expires_at} />
  const isManaged = managed_by !== undefined && active && kind !== 'service' && !has_password && invited !== true
  return isManaged ? <Managed by={managed_by} /> : <UserState user={user} isLocked={isLocked} />
}

/** Instead of the state: the access is over, or will be soon. */
function End({ end, expires_at }: { end: NonNullable<EndState>; expires_at: string }) {
  const { t, i18n } = useLingui()
  const time = formatEnd(expires_at, i18n.locale)
  if (end.state === 'over') {
    return (
      <State kind="off">
        <span title={t`The access ended on ${time}.`}>{t`Expired`}</span>
      </State>
    )
  }
  return (
    <State kind="warn" isLong>
      <span title={t`The access ends on ${time}.`}>
        {end.days === 0 ? t`Ends within a day` : <Plural value={end.days} one="Ends in # day" other="Ends in # days" />}
      </span>
    </State>
  )
}

function Managed({ by }: { by: string }) {
  const { t } = useLingui()
  const name = useManagerName(by)
  const words = name === undefined ? t`Managed by an identity provider` : t`Managed by ${name}`
  return (
    <State kind="good" isLong>
      <span title={words}>{words}</span>
    </State>
  )
}
