import { Trans } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import type { Selected } from '../../parts/bulk/selection.ts'
import { SelectionFrame } from '../../parts/user-list/selection-bar.tsx'

type Props = { selected: Selected; total: number; onSelect: (selected: Selected) => void; onRestore: () => void }

/** Actions for the selected users. */
export function RestoreBar({ onRestore, ...selection }: Props) {
  return (
    <SelectionFrame {...selection}>
      <Button size="compact-sm" variant="default" onClick={onRestore}>
        <Trans>Restore</Trans>
      </Button>
    </SelectionFrame>
  )
}
