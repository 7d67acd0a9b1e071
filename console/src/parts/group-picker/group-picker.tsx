/** Finds a group by name, with the search of the list of groups. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Group } from 'rollbook/client'
import { foundGroupsQuery } from '../../data/groups.ts'
import { type Choice, Combobox } from '../../ui/combobox.tsx'

type Props = {
  label: string
  isLabelHidden?: boolean
  description?: string
  error?: ReactNode
  /** The IDs of groups that cannot be picked. */
  except?: readonly string[]
  chosen?: Pick<Group, 'name'> | undefined
  /** Several are picked one after the other: the field is emptied for the next. */
  isForSeveral?: boolean
  onPick: (group: Group | undefined) => void
  required?: boolean
  hasAutofocus?: boolean
  isInFlow?: boolean
}

const pauseMs = 150
const noIds: readonly string[] = []

export function GroupPicker({ except = noIds, chosen, isForSeveral = false, onPick, ...field }: Props) {
  const { t } = useLingui()
  const [text, setText] = useState(chosen?.name ?? '')
  const [chosenName, setChosenName] = useState(chosen?.name)
  // Chosen or cleared elsewhere: in the address, or by a button that clears all.
  if (chosen?.name !== chosenName) {
    setChosenName(chosen?.name)
    if (chosen !== undefined) setText(chosen.name)
    else if (text === chosenName) setText('')
  }
  // The name of the chosen group is no search.
  const q = text === chosen?.name ? '' : text.trim()
  const [query] = useDebouncedValue(q, pauseMs)
  const { data, isFetching } = useQuery(foundGroupsQuery(query))
  const found = query === q ? (data ?? []) : []
  const choices = found
    .filter(({ group_id }) => !except.includes(group_id))
    .map((group): Choice & { group: Group } => ({
      id: group.group_id,
      name: group.name,
      note: group.role === null ? undefined : t`Role: ${group.role}`,
      group,
    }))
  return (
    <Combobox
      {...field}
      placeholder={t`Group name`}
      opensEmpty
      text={text}
      onText={(next) => {
        setText(next)
        if (chosen !== undefined) onPick(undefined)
      }}
      choices={choices}
      onPick={({ group }) => {
        setText(isForSeveral ? '' : group.name)
        onPick(group)
      }}
      none={
        !isFetching &&
        query === q && (
          <p role="status">
            {q === '' ? <Trans>There are no groups to choose.</Trans> : <Trans>No groups match.</Trans>}
          </p>
        )
      }
    />
  )
}
