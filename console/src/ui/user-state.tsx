/** The role and the state of a user, the same on every page. */
import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { User } from 'rollbook/client'
import { Badge } from './badge.tsx'
import { State } from './state.tsx'

export function Role({ role }: { role: string }) {
  return (
    <Badge>
      <bdi>{role}</bdi>
    </Badge>
  )
}

type Props = { user: Pick<User, 'active' | 'has_password' | 'invited' | 'kind'>; isLocked?: boolean }

/** A user who cannot sign in now is not called active. */
export function UserState({ user: { active, has_password, invited, kind }, isLocked = false }: Props) {
  const { t } = useLingui()
  if (!active || kind === 'service') return <Active active={active} />
  if (!has_password && invited === true) return <State kind="busy">{t`Invited`}</State>
  if (!has_password) return <State kind="warn">{t`No password`}</State>
  return isLocked ? <State kind="warn">{t`Locked`}</State> : <Active active />
}

/** The member `active` in words. */
export function Active({ active }: { active: boolean }) {
  const { t } = useLingui()
  return active ? <State kind="good">{t`Active`}</State> : <State kind="off">{t`Disabled`}</State>
}

type ValueProps = { member: string; value: string | undefined; children: ReactNode }

/** A value of the audit: role and state look as elsewhere, others are `children`. */
export function AuditValue({ member, value, children }: ValueProps) {
  if (member === 'active' && (value === 'true' || value === 'false')) return <Active active={value === 'true'} />
  if (member === 'role' && value !== undefined) return <Role role={value} />
  return children
}
