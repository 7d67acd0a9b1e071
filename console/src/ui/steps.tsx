import { Trans, useLingui } from '@lingui/react/macro'
import styles from './steps.module.css'

type Props = {
  labels: readonly string[]
  current: number
  /** Which steps are finished. */
  done?: readonly boolean[]
  /** Opens a step that is finished, or the first one that is not. */
  onOpen?: ((place: number) => void) | undefined
}

/** The numbered steps of a wizard. */
export function Steps({ labels, current, done = [], onOpen }: Props) {
  const { t } = useLingui()
  const next = done.indexOf(false)
  return (
    <ol className={styles.steps} aria-label={t`Steps`}>
      {labels.map((label, n) => {
        const isOpen = n === current
        const canOpen = onOpen !== undefined && !isOpen && (done[n] === true || n === next)
        return (
          <li key={label} aria-current={isOpen ? 'step' : undefined} data-done={done[n] === true ? '' : undefined}>
            {canOpen ? (
              <button type="button" onClick={() => onOpen(n)}>
                {label}
              </button>
            ) : (
              <span>{label}</span>
            )}
            {done[n] === true && (
              <span className={styles.said}>
                <Trans>finished</Trans>
              </span>
            )}
          </li>
        )
      })}
    </ol>
  )
}
