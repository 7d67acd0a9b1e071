import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useState } from 'react'
import { EndDateField } from '../../parts/end-date/end-date-field.tsx'
import { PastedList } from '../../parts/user-finder/pasted-list.tsx'
import { mostPasted, namesIn, type Person } from '../../parts/user-finder/pasted-names.ts'
import { UserFinder } from '../../parts/user-finder/user-finder.tsx'
import { DialogFoot } from '../../ui/dialog.tsx'
import { formatNumber } from '../../ui/number.ts'

/** `day`: the end of the memberships; empty without an end. */
export type Chosen = { picked: Person[]; text: string; day: string }

type Props = {
  chosen: Chosen
  onChange: (chosen: Chosen) => void
  onClose: () => void
  onChoose: (picked: Person[], names: string[]) => void
}

/** Users are found by name, or pasted. */
export function ChooseMembers({ chosen, onChange, onClose, onChoose }: Props) {
  const { t, i18n } = useLingui()
  const [fault, setFault] = useState<string>()
  const { picked, text, day } = chosen
  const names = namesIn(text)
  const most = formatNumber(mostPasted, i18n.locale)

  function change(next: Partial<Chosen>) {
    setFault(undefined)
    onChange({ ...chosen, ...next })
  }
  function preview() {
    if (picked.length + names.length === 0) setFault(t`Choose at least one user.`)
    else if (names.length > mostPasted)
      setFault(t`These are more than ${most} names. “rollbook groups add --from-file” takes any number.`)
    else onChoose(picked, names)
  }

  return (
    <form
      style={{ display: 'contents' }}
      onSubmit={(event) => {
        event.preventDefault()
        preview()
      }}
    >
      <UserFinder picked={picked} onPick={(next) => change({ picked: next })} />
      <PastedList label={t`Or paste a list`} value={text} onChange={(value) => change({ text: value })} error={fault} />
      <EndDateField
        day={day}
        onChange={(next) => change({ day: next })}
        label={t`Membership ends`}
        description={t`At the end of this day in UTC. Empty: the membership does not end.`}
      />
      <DialogFoot>
        <Button variant="default" onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <Button type="submit">
          <Trans>Preview</Trans>
        </Button>
      </DialogFoot>
    </form>
  )
}
