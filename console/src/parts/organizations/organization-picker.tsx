/** Finds an organization by name. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Organization } from 'rollbook/client'
import { foundOrganizationsQuery, organizationQuery } from '../../data/organizations.ts'
import { type Choice, Combobox } from '../../ui/combobox.tsx'

type Props = {
  label: string
  description?: string
  error?: ReactNode
  chosen?: Pick<Organization, 'name'> | undefined
  onPick: (organization: Picked | undefined) => void
  /** Also offers to pick that there is none, whose id is `none`. */
  hasNone?: boolean
  isLabelHidden?: boolean
  hasAutofocus?: boolean
  isInFlow?: boolean
}

type Picked = Pick<Organization, 'organization_id' | 'name'>

const pauseMs = 150

export function OrganizationPicker({ chosen, onPick, hasNone = false, ...field }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const [text, setText] = useState(chosen?.name ?? '')
  const [chosenName, setChosenName] = useState(chosen?.name)
  // Chosen or cleared elsewhere: in the address, or by a button that clears all.
  if (chosen?.name !== chosenName) {
    setChosenName(chosen?.name)
    if (chosen !== undefined) setText(chosen.name)
    else if (text === chosenName) setText('')
  }
  // The name of the chosen organization is no search.
  const q = text === chosen?.name ? '' : text.trim()
  const [query] = useDebouncedValue(q, pauseMs)
  const { data, isFetching } = useQuery(foundOrganizationsQuery(query))
  const none = { organization_id: 'none', name: t`No organization` }
  const found = (query === q ? (data ?? []) : []).map((organization): Choice & { organization: Picked } => ({
    id: organization.organization_id,
    name: organization.name,
    note: organization.active ? undefined : t`Disabled`,
    organization,
  }))
  const isListed = hasNone && q === '' && query === q
  const choices = isListed ? [{ id: 'none', name: none.name, organization: none }, ...found] : found
  return (
    <Combobox
      {...field}
      placeholder={t`Organization name`}
      opensEmpty
      text={text}
      onText={(next) => {
        setText(next)
        if (chosen !== undefined) onPick(undefined)
      }}
      choices={choices}
      onPick={({ organization }) => {
        setText(organization.name)
        // Its name is known at once to what shows the id.
        if ('created_at' in organization)
          queries.setQueryData(organizationQuery(organization.organization_id).queryKey, organization as Organization)
        onPick(organization)
      }}
      none={
        !isFetching &&
        query === q && (
          <p role="status">
            <Trans>No organizations match.</Trans>
          </p>
        )
      }
    />
  )
}
