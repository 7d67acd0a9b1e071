import { Trans } from '@lingui/react/macro'
import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { IconPlus } from '../../ui/icons.tsx'
import styles from './organizations.module.css'

type Props = { note: ReactNode; actions?: ReactNode; children: ReactNode }

/** What a tab is about and its buttons, above its records. */
export function Tab({ note, actions, children }: Props) {
  return (
    <div className={styles.tab}>
      <Group gap={12} justify="space-between">
        <p className={styles.note}>{note}</p>
        <Group gap={8}>{actions}</Group>
      </Group>
      {children}
    </div>
  )
}

export function ConnectButton({ onClick }: { onClick: () => void }) {
  return (
    <Button leftSection={<IconPlus />} onClick={onClick}>
      <Trans>Connect identity provider</Trans>
    </Button>
  )
}
