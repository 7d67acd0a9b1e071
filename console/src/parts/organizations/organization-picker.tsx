/** Finds an organization by name. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Organization } from 'rollbook/client'
import { foundOrganizationsQuery, organizationQuery } from '../../data/organizations.ts'
import { type Found, NamePicker, type PickerField } from '../../ui/name-picker.tsx'

type Picked = Pick<Organization, 'organization_id' | 'name'> & Partial<Organization>

type Props = PickerField<Picked> & {
  /** Also offers to pick that there is none, whose id is `none`. */
  hasNone?: boolean
}

const useFoundOrganizations = (q: string): Found<Picked> => useQuery(foundOrganizationsQuery(q))

export function OrganizationPicker({ chosen, onPick, hasNone = false, ...field }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const none = { id: 'none', name: t`No organization` }
  return (
    <NamePicker
      {...field}
      placeholder={t`Organization name`}
      chosen={chosen}
      useFound={useFoundOrganizations}
      choicesOf={(found, q) => [
        ...(hasNone && q === '' ? [{ ...none, record: { organization_id: none.id, name: none.name } }] : []),
        ...found.map((record) => ({
          id: record.organization_id,
          name: record.name,
          note: record.active === false ? t`Disabled` : undefined,
          record,
        })),
      ]}
      onPick={(picked) => {
        // Its name is known at once to what shows the id.
        if (picked?.created_at !== undefined)
          queries.setQueryData(organizationQuery(picked.organization_id).queryKey, picked as Organization)
        onPick(picked)
      }}
      noneOf={() => <Trans>No organizations match.</Trans>}
    />
  )
}
