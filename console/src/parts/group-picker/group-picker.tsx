/** Finds a group by name, with the search of the list of groups. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import type { Group } from 'rollbook/client'
import { foundGroupsQuery } from '../../data/groups.ts'
import { NamePicker, type PickerField } from '../../ui/name-picker.tsx'

type Props = PickerField<Group> & {
  /** The IDs of groups that cannot be picked. */
  except?: readonly string[]
  /** Several are picked one after the other. */
  isForSeveral?: boolean
}

const noIds: readonly string[] = []
const useFoundGroups = (q: string) => useQuery(foundGroupsQuery(q))

export function GroupPicker({ except = noIds, chosen, ...field }: Props) {
  const { t } = useLingui()
  return (
    <NamePicker
      {...field}
      placeholder={t`Group name`}
      chosen={chosen}
      useFound={useFoundGroups}
      choicesOf={(found) =>
        found
          .filter(({ group_id }) => !except.includes(group_id))
          .map((group) => ({
            id: group.group_id,
            name: group.name,
            note: group.role === null ? undefined : t`Role: ${group.role}`,
            record: group,
          }))
      }
      noneOf={(q) => (q === '' ? <Trans>There are no groups to choose.</Trans> : <Trans>No groups match.</Trans>)}
    />
  )
}
