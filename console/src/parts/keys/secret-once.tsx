import { Trans } from '@lingui/react/macro'
import { Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyLine } from '../../ui/copy.tsx'
import styles from './secret-once.module.css'

/** A newly created secret, which is shown only once. */
export function SecretOnce({ secret, label, children }: { secret: string; label: string; children: ReactNode }) {
  return (
    <Stack gap="sm">
      <OnceWarning />
      <CopyLine text={secret} label={label} />
      <p className={styles.after}>{children}</p>
    </Stack>
  )
}

export function OnceWarning() {
  return (
    <p className={styles.warning} role="status">
      <strong>
        <Trans>Copy it now. It is shown only once and cannot be retrieved later.</Trans>
      </strong>
    </p>
  )
}
