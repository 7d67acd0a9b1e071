import { useLingui } from '@lingui/react/macro'
import styles from './steps.module.css'

/** The numbered steps of a wizard. */
export function Steps({ labels, current }: { labels: readonly string[]; current: number }) {
  const { t } = useLingui()
  return (
    <ol className={styles.steps} aria-label={t`Steps`}>
      {labels.map((label, n) => (
        <li key={label} aria-current={n === current ? 'step' : undefined}>
          {label}
        </li>
      ))}
    </ol>
  )
}
