import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SignInConnection } from 'rollbook/client'
import { failuresQuery } from '../../data/sign-in-connections.ts'
import { ConfirmDialog } from '../../layout/form-dialog.tsx'
import { useFileLock } from '../../parts/managed/managed-by-file.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useConcerns } from './concern-words.ts'
import styles from './sign-in-connections.module.css'
import { useSave } from './use-save.ts'

type Props = { connection: SignInConnection; onActivated?: () => void }

/** Activates or deactivates a connection. */
export function Activation(props: Props) {
  const { active } = props.connection
  const [isAsking, setIsAsking] = useState(false)
  return (
    <>
      <Button variant={active ? 'default' : 'filled'} onClick={() => setIsAsking(true)}>
        {active ? <Trans>Deactivate</Trans> : <Trans>Activate</Trans>}
      </Button>
      {isAsking && <ActivationDialog {...props} onClose={() => setIsAsking(false)} />}
    </>
  )
}

function ActivationDialog({ connection, onActivated, onClose }: Props & { onClose: () => void }) {
  const { t } = useLingui()
  const { connection_id, name, active } = connection
  const lock = useFileLock(connection)
  const { submit, ...sending } = useSave(({ active: isActive }) => {
    onClose()
    showToast({ message: isActive ? t`${name} is active.` : t`${name} is inactive, and its sessions have ended.` })
    if (isActive) onActivated?.()
  })
  const changes = { active: !active }
  return (
    <ConfirmDialog
      title={active ? t`Deactivate ${name}?` : t`Activate ${name}?`}
      sending={sending}
      refusal={t`The connection was not changed.`}
      calls={[
        { operation: 'PATCH /connections/{connection_id}', path: { connection_id }, query: lock.how, body: changes },
      ]}
      action={active ? <Trans>Deactivate</Trans> : <Trans>Activate</Trans>}
      isDisabled={lock.isLocked}
      onConfirm={() => submit({ connection, changes, how: lock.how })}
      onClose={onClose}
    >
      <p className={styles.plain}>
        {active ? (
          <Trans>Users can no longer sign in through it, and its sessions end. Linked accounts stay.</Trans>
        ) : (
          <Trans>The sign-in page shows its button at once.</Trans>
        )}
      </p>
      {!active && <Concerns connection={connection} />}
      {lock.notice}
    </ConfirmDialog>
  )
}

/** Says what will not work if the connection is activated as it is. */
function Concerns({ connection }: { connection: SignInConnection }) {
  const { data: failures } = useQuery(failuresQuery(connection.connection_id))
  const concerns = useConcerns(connection, failures)
  if (concerns.length === 0) return null
  return (
    <div role="alert">
      <p className={styles.plain}>
        <Trans>Not ready yet:</Trans>
      </p>
      <ul className={styles.concerns}>
        {concerns.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  )
}
