import { useLingui } from '@lingui/react/macro'
import type { User } from 'rollbook/client'
import { useManagerName } from '../../data/provisioning.ts'
import { State } from '../../ui/state.tsx'
import { UserState } from '../../ui/user-state.tsx'

type Props = {
  user: Pick<User, 'active' | 'has_password' | 'invited' | 'kind' | 'managed_by'>
  isLocked?: boolean
}

/** The state of a user. One whom an identity provider manages needs no password here, so none is missing. */
export function AccountState({ user, isLocked = false }: Props) {
  const { active, has_password, invited, kind, managed_by } = user
  const isManaged = managed_by !== undefined && active && kind !== 'service' && !has_password && invited !== true
  return isManaged ? <Managed by={managed_by} /> : <UserState user={user} isLocked={isLocked} />
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
