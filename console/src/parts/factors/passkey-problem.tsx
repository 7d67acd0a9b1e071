import { useLingui } from '@lingui/react/macro'
import { Problem } from '../../ui/problem.tsx'
import styles from './factor.module.css'

/** Explains a passkey error from the browser or the service. */
export function PasskeyProblem({ error, title }: { error: Error; title: string }) {
  const { t } = useLingui()
  if (!(error instanceof DOMException)) return <Problem error={error} title={title} />
  const reasons: Record<string, string> = {
    NotAllowedError: t`It was cancelled, or took too long. Try again when you are ready.`,
    InvalidStateError: t`This device or password manager already has a passkey for your account.`,
  }
  return (
    <p className={styles.refused} role="alert">
      {reasons[error.name] ?? t`This browser cannot use passkeys here. Try another browser or device.`}
    </p>
  )
}
