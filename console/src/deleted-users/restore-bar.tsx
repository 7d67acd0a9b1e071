/** What can be done with the selected users, and the offer to select all who match. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { IconClose } from '../ui/icons.tsx'
import { formatNumber } from '../ui/number.ts'
import { allSelected, countSelected, noneSelected, type Selected } from '../users/selection.ts'
import styles from '../users/selection-bar.module.css'

type Props = { selected: Selected; total: number; onSelect: (selected: Selected) => void; onRestore: () => void }

export function RestoreBar({ selected, total, onSelect, onRestore }: Props) {
  const { t, i18n } = useLingui()
  const count = countSelected(selected, total)
  const all = formatNumber(total, i18n.locale)
  return (
    <section className={styles.bar} aria-label={t`Selection`}>
      <p className={styles.count} role="status">
        <Plural value={count} one="# selected" other="# selected" />
      </p>
      {!selected.isAll && total > count && (
        <button type="button" className={styles.all} onClick={() => onSelect(allSelected)}>
          <Trans>Select all {all} that match</Trans>
        </button>
      )}
      <div className={styles.actions}>
        <Button size="compact-sm" variant="default" onClick={onRestore}>
          <Trans>Restore</Trans>
        </Button>
      </div>
      <button
        type="button"
        className={styles.clear}
        aria-label={t`Clear the selection`}
        onClick={() => onSelect(noneSelected)}
      >
        <IconClose />
      </button>
    </section>
  )
}
