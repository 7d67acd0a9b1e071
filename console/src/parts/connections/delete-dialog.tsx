import { Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { ApiCall } from '../../api/call.ts'
import { ConfirmDialog } from '../../layout/form-dialog.tsx'
import { Consequences } from '../../ui/dialog.tsx'
import type { useFileLock } from '../managed/managed-by-file.tsx'

type Props = {
  name: string
  sending: { isPending: boolean; error: Error | null }
  call: ApiCall
  lock: ReturnType<typeof useFileLock>
  /** The consequences, as list items. */
  children: ReactNode
  onDelete: () => void
  onClose: () => void
}

/** Asks before a connection to an identity provider is deleted, for sign-in or for provisioning. */
export function DeleteDialog({ name, sending, call, lock, children, onDelete, onClose }: Props) {
  const { t } = useLingui()
  return (
    <ConfirmDialog
      title={t`Delete the connection ${name}?`}
      sending={sending}
      refusal={t`The connection was not deleted.`}
      calls={[call]}
      action={<Trans>Delete connection</Trans>}
      isDangerous
      onConfirm={onDelete}
      isDisabled={lock.isLocked}
      onClose={onClose}
    >
      {lock.notice}
      <Consequences>{children}</Consequences>
    </ConfirmDialog>
  )
}
