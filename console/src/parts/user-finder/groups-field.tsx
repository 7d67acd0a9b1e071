import { useLingui } from '@lingui/react/macro'
import type { Group } from 'rollbook/client'
import { useCan } from '../../api/me.ts'
import { IconClose } from '../../ui/icons.tsx'
import { GroupPicker } from '../group-picker/group-picker.tsx'
import finder from './members.module.css'

type Props = { picked: readonly Group[]; onChange: (picked: readonly Group[]) => void }

/** The groups that a new user will be in. Nothing for viewers who may not add members. */
export function GroupsField({ picked, onChange }: Props) {
  const { t } = useLingui()
  const [mayRead, mayWrite] = [useCan('groups:read'), useCan('groups:write')]
  if (!mayRead || !mayWrite) return null
  return (
    <div>
      <GroupPicker
        label={t`Groups`}
        except={picked.map(({ group_id }) => group_id)}
        isForSeveral
        isInFlow
        onPick={(group) => group && onChange([...picked, group])}
      />
      {picked.length > 0 && (
        <ul className={finder.picked} style={{ marginTop: 8 }} aria-label={t`Chosen groups`}>
          {picked.map(({ group_id, name }) => (
            <li key={group_id}>
              <bdi>{name}</bdi>
              <button
                type="button"
                aria-label={t`Leave out ${name}`}
                onClick={() => onChange(picked.filter((one) => one.group_id !== group_id))}
              >
                <IconClose size={14} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
