import { Trans, useLingui } from '@lingui/react/macro'
import { Button, CloseButton, NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useCan } from '../../api/me.ts'
import { useAttributes } from '../../data/attributes.ts'
import { groupQuery } from '../../data/groups.ts'
import { rolesQuery } from '../../data/roles.ts'
import { GroupPicker } from '../../parts/group-picker/group-picker.tsx'
import type { Field } from './fields.ts'
import styles from './sign-in-connections.module.css'
import type { Pair } from './values.ts'

type Props = {
  field: Extract<Field, { type: 'pairs' }>
  pairs: readonly Pair[]
  onChange: (pairs: readonly Pair[]) => void
  fault: string | undefined
}

type Choice = { value: string; label: string }

/** Values of a claim with what they become. For attributes, each has the claim that fills it. */
export function PairsField({ field: { of, label, description }, pairs, onChange, fault }: Props) {
  const { t } = useLingui()
  const choices = useChoices(of)
  const isGroupPicked = useCan('groups:read') && of === 'groups'
  // In the API the attribute comes first; in the other mappings, the claim value.
  const chosenAt = of === 'attributes' ? 0 : 1
  const typedLabel = of === 'attributes' ? t`Claim` : t`Value`
  const chosenLabel = { roles: t`Role`, groups: t`Group`, attributes: t`Attribute` }[of]
  const put = (index: number, at: 0 | 1, text: string) =>
    onChange(pairs.map((pair, n) => (n !== index ? pair : at === 0 ? [text, pair[1]] : [pair[0], text])))
  return (
    <fieldset className={styles.pairs}>
      <legend>{label}</legend>
      {description !== undefined && <p className={styles.quiet}>{description}</p>}
      {pairs.map((pair, index) => {
        const typed = pair[1 - chosenAt] ?? ''
        const chosen = pair[chosenAt] ?? ''
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity while they are typed.
          <div key={index} className={styles.pair}>
            <TextInput
              aria-label={`${typedLabel} ${index + 1}`}
              placeholder={typedLabel}
              value={typed}
              dir="ltr"
              autoComplete="off"
              onChange={(event) => put(index, chosenAt === 0 ? 1 : 0, event.currentTarget.value)}
            />
            {isGroupPicked ? (
              <GroupOfPair
                label={`${chosenLabel} ${index + 1}`}
                groupId={chosen}
                onPick={(groupId) => put(index, chosenAt, groupId)}
              />
            ) : (
              <NativeSelect
                aria-label={`${chosenLabel} ${index + 1}`}
                value={chosen}
                data={withChosen(choices, chosen)}
                onChange={(event) => put(index, chosenAt, event.currentTarget.value)}
              />
            )}
            <CloseButton
              aria-label={t`Remove ${typed === '' ? String(index + 1) : typed}`}
              onClick={() => onChange(pairs.filter((_, n) => n !== index))}
            />
          </div>
        )
      })}
      <Button size="xs" variant="default" onClick={() => onChange([...pairs, ['', '']])} aria-label={t`Add: ${label}`}>
        <Trans>Add</Trans>
      </Button>
      {fault !== undefined && (
        <p className={styles.fault} role="alert">
          {fault}
        </p>
      )}
    </fieldset>
  )
}

type GroupOfPairProps = { label: string; groupId: string; onPick: (groupId: string) => void }

function GroupOfPair({ label, groupId, onPick }: GroupOfPairProps) {
  const isChosen = groupId !== ''
  const { data: group } = useQuery({ ...groupQuery(groupId), enabled: isChosen })
  return (
    <GroupPicker
      label={label}
      isLabelHidden
      chosen={isChosen ? (group ?? { name: groupId }) : undefined}
      onPick={(picked) => onPick(picked?.group_id ?? '')}
    />
  )
}

/** Groups are searched for instead: there may be thousands. */
function useChoices(of: 'roles' | 'groups' | 'attributes'): readonly Choice[] {
  const { data: roles } = useQuery({ ...rolesQuery, enabled: of === 'roles' })
  const attributes = useAttributes()
  if (of === 'roles') return (roles ?? []).map(({ role }) => ({ value: role, label: role }))
  if (of === 'groups') return []
  return (attributes ?? []).map(({ name }) => ({ value: name, label: name }))
}

/** Stored values stay, even if the viewer may not list them. */
function withChosen(choices: readonly Choice[], chosen: string): Choice[] {
  const isKnown = chosen === '' || choices.some(({ value }) => value === chosen)
  return [{ value: '', label: '' }, ...(isKnown ? [] : [{ value: chosen, label: chosen }]), ...choices]
}
