/** Filters a list by an organization. Left out where organizations are not used. */
import { useLingui } from '@lingui/react/macro'
import { useOrganizationName, useOrganizationsInUse } from '../../data/organizations.ts'
import { OrganizationPicker } from './organization-picker.tsx'

type Props = {
  /** The ID; `none`: what belongs to none; undefined: no filter. */
  organization: string | undefined
  onChange: (organization: string | undefined) => void
  isLabelHidden?: boolean
  isInFlow?: boolean
  hasNone?: boolean
}

export function OrganizationFilter({ organization, onChange, hasNone = true, ...field }: Props) {
  const { t } = useLingui()
  const isInUse = useOrganizationsInUse()
  const name = useOrganizationName(organization)
  if (!isInUse) return null
  const chosenName = organization === 'none' ? t`No organization` : (name ?? organization)
  return (
    <OrganizationPicker
      {...field}
      label={t`Organization`}
      hasNone={hasNone}
      chosen={chosenName === undefined ? undefined : { name: chosenName }}
      onPick={(picked) => onChange(picked?.organization_id)}
    />
  )
}

/** Whether something belongs to the organization of a filter, for lists that the page holds as a whole. */
export function isOf(
  organization: string | undefined,
  { organization_id }: { organization_id?: string | undefined },
): boolean {
  return organization === undefined || (organization_id ?? 'none') === organization
}
