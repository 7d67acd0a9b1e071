import styles from './tick.module.css'

type Props = { label: string; isSelected: boolean; onSelect: (isSelected: boolean) => void }

/** Selects a row, with room for a finger. */
export function Tick({ label, isSelected, onSelect }: Props) {
  return (
    <label className={styles.tick}>
      <input
        type="checkbox"
        aria-label={label}
        checked={isSelected}
        onChange={({ currentTarget: { checked } }) => onSelect(checked)}
      />
    </label>
  )
}
