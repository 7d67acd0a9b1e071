/** The field of a form that says to which organization something belongs. Left out where organizations are not used, or the viewer's own is the only choice. */
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { organizationQuery, useOrganizationsInUse } from '../../data/organizations.ts'
import { OrganizationPicker } from './organization-picker.tsx'

type Props = {
  /** What the form needs. Limited to an organization, it is about that one anyway. */
  permission: string
  /** The id; empty: none. */
  value: string
  onChange: (organizationId: string) => void
  description?: string
  error?: ReactNode
}

export function OrganizationField({ permission, value, onChange, description, error }: Props) {
  const { t } = useLingui()
  const isInUse = useOrganizationsInUse(permission)
  const { data } = useQuery({ ...organizationQuery(value), enabled: isInUse && value !== '' })
  if (!isInUse) return null
  return (
    <OrganizationPicker
      label={t`Organization`}
      description={description ?? t`Empty: it belongs to none.`}
      error={error}
      isInFlow
      chosen={value === '' ? undefined : (data ?? { name: value })}
      onPick={(picked) => onChange(picked?.organization_id ?? '')}
    />
  )
}
