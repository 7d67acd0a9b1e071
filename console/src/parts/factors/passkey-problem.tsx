import { useLingui } from '@lingui/react/macro'
import { Problem } from '../../ui/problem.tsx'
import styles from './factor.module.css'

/** Explains a passkey error from the browser or the service. */
export function PasskeyProblem({ error, title }: { error: Error; title: string }) {
  const { t } = useLingui()
  if (!(error instanceof DOMException)) return <Problem error={error} title={title} />
  return (
    <p className={styles.refused} role="alert">
      {error.name === 'NotAllowedError'
        ? t`It was cancelled, or took too long. Try again when you are ready.`
        : t`This browser cannot use passkeys here. Try another browser or device.`}
    </p>
  )
}
