import { useLingui } from '@lingui/react/macro'
import { NativeSelect, type NativeSelectProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMe } from '../../api/me.ts'
import { canGrant, rolesQuery } from '../../data/roles.ts'

type Props = NativeSelectProps & {
  /** Always among the options, even before the roles have loaded. */
  current: string
  /** The label of the choice of no role, whose value is empty. */
  none?: string
}

export function RoleSelect({ current, none, ...props }: Props) {
  const { t } = useLingui()
  const me = useMe()
  const { data: roles = [] } = useQuery(rolesQuery)
  const isUnknown = (none === undefined || current !== '') && !roles.some(({ role }) => role === current)
  return (
    <NativeSelect label={t`Role`} {...props}>
      {none !== undefined && <option value="">{none}</option>}
      {isUnknown && <option value={current}>{current}</option>}
      {roles.map((role) => {
        const isGrantable = role.role === current || canGrant(me, role)
        return (
          <option key={role.role} value={role.role} disabled={!isGrantable}>
            {isGrantable ? role.role : t`${role.role} (has permissions that you lack)`}
          </option>
        )
      })}
    </NativeSelect>
  )
}
