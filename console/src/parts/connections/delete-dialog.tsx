import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ApiCall } from '../../api/call.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { Consequences, Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'

type Props = {
  name: string
  state: { isPending: boolean; error: Error | null }
  call: ApiCall
  /** The consequences, as list items. */
  children: ReactNode
  onDelete: () => void
  onClose: () => void
}

/** Asks before a connection to an identity provider is deleted, for sign-in or for provisioning. */
export function DeleteDialog({ name, state, call, children, onDelete, onClose }: Props) {
  const { t } = useLingui()
  return (
    <Dialog isOpen onClose={onClose} title={t`Delete the connection ${name}?`}>
      <Consequences>{children}</Consequences>
      {state.error && <Problem error={state.error} title={t`The connection was not deleted.`} />}
      <DialogFoot aside={<ApiCallButton size="xs" calls={[call]} />}>
        <Button variant="default" onClick={onClose} data-autofocus>
          <Trans>Cancel</Trans>
        </Button>
        <Button color="red.9" loading={state.isPending} onClick={onDelete}>
          <Trans>Delete connection</Trans>
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
