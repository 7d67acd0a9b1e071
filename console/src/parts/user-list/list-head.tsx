// biome-ignore-all lint/a11y/useSemanticElements: a table cannot have some rows of a million.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, and names its active row.
/** The headings of the list: the checkbox for the users in view, and the sortable columns. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { RefObject } from 'react'
import { IconDown, IconUp } from '../../ui/icons.tsx'
import { isSelected, type Selected, select } from '../bulk/selection.ts'
import type { ColumnId } from './columns.ts'
import tickStyles from './tick.module.css'
import { useColumnLabels } from './use-column-labels.ts'
import type { ListColumn } from './use-list-columns.ts'
import styles from './user-list.module.css'

type Props = {
  head: RefObject<HTMLDivElement | null>
  columns: readonly ListColumn[]
  selected: Selected
  idsInView: readonly string[]
  onSelect: (selected: Selected) => void
}

const sortWords = { asc: 'ascending', desc: 'descending' } as const

export function ListHead({ head, columns, selected, idsInView, onSelect }: Props) {
  const labelOf = useColumnLabels()
  return (
    <div ref={head} role="rowgroup" className={styles.head}>
      <div role="row" aria-rowindex={1} className={styles.headings}>
        <div role="columnheader" className={styles.heading} data-column="select">
          <SelectSeen selected={selected} ids={idsInView} onSelect={onSelect} />
        </div>
        {columns.map((column) => (
          <Heading key={column.id} column={column} label={labelOf(column.id as ColumnId)} />
        ))}
        <div role="columnheader" className={styles.heading}>
          <span className="visually-hidden">
            <Trans>Actions</Trans>
          </span>
        </div>
      </div>
    </div>
  )
}

function Heading({ column, label }: { column: ListColumn; label: string }) {
  const order = column.getIsSorted()
  if (!column.getCanSort())
    return (
      <div role="columnheader" className={styles.heading}>
        {label}
      </div>
    )
  return (
    <div role="columnheader" className={styles.heading} aria-sort={order === false ? 'none' : sortWords[order]}>
      <button type="button" className={styles.sort} onClick={column.getToggleSortingHandler()}>
        {label}
        <span className={styles.arrow} data-on={order !== false || undefined}>
          {order === 'desc' ? <IconDown size={14} /> : <IconUp size={14} />}
        </span>
      </button>
    </div>
  )
}

type SelectProps = { selected: Selected; ids: readonly string[]; onSelect: (selected: Selected) => void }

function SelectSeen({ selected, ids, onSelect }: SelectProps) {
  const { t } = useLingui()
  const count = ids.filter((id) => isSelected(selected, id)).length
  const isEvery = count > 0 && count === ids.length
  return (
    <label className={tickStyles.tick}>
      <input
        type="checkbox"
        ref={(box) => {
          if (box !== null) box.indeterminate = count > 0 && !isEvery
        }}
        checked={isEvery}
        onChange={() => onSelect(select(selected, ids, !isEvery))}
        aria-label={t`Select the users in view`}
      />
    </label>
  )
}
