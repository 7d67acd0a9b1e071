/** Lists with a filter that people ask for by name: disabled users, users of a role, failed sign-ins. */
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Me } from 'rollbook/client'
import { can } from '../api/me.ts'
import { rolesQuery } from '../data/roles.ts'
import type { AuditSearch } from '../data/search/audit.ts'
import type { UsersSearch } from '../data/search/users.ts'
import { IconFilter } from '../ui/icons.tsx'
import type { Entry } from './entry.ts'

export function useFilterEntries(me: Me): Entry[] {
  const { t } = useLingui()
  const navigate = useNavigate()
  const mayReadUsers = can(me, 'users:read')
  const { data: roles = [] } = useQuery({ ...rolesQuery, enabled: mayReadUsers })
  const icon = <IconFilter />
  const ofUsers = (id: string, label: string, search: UsersSearch): Entry => ({
    id: `filter-${id}`,
    label,
    icon,
    run: () => void navigate({ to: '/users', search }),
  })
  const ofAudit = (id: string, label: string, search: AuditSearch): Entry => ({
    id: `filter-${id}`,
    label,
    icon,
    run: () => void navigate({ to: '/audit', search }),
  })
  const users = [
    ofUsers('disabled', t`Disabled users`, { active: false }),
    ofUsers('locked', t`Locked users`, { locked: true }),
    ofUsers('invited', t`Invited users`, { invited: true }),
    ofUsers('no-password', t`Users without a password`, { has_password: false, kind: 'person' }),
    ofUsers('never', t`Users who never signed in`, { has_signed_in: false, kind: 'person' }),
    ofUsers('services', t`Service accounts`, { kind: 'service' }),
    ...roles.map(({ role }) => ofUsers(`role-${role}`, t`Users with the role ${role}`, { role })),
  ]
  const audit = [
    ofAudit('failed', t`Failed sign-ins`, { outcome: 'failure' }),
    ofAudit('denied', t`Refused requests`, { outcome: 'denied' }),
  ]
  return [...(mayReadUsers ? users : []), ...(can(me, 'audit:read') ? audit : [])]
}
