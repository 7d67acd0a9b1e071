import { Trans } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ApiCall } from '../api/call.ts'
import { ApiCallButton } from '../api-call/button.tsx'
import { DialogFoot } from '../ui/dialog.tsx'

type Props = {
  /** The requests that the form sends. */
  calls: readonly ApiCall[]
  isPending: boolean
  onCancel: () => void
  /** What the submit button says. */
  children: ReactNode
}

/** The foot of a dialog with a form: its requests, a way out, and the button that submits it. */
export function FormFoot({ calls, isPending, onCancel, children }: Props) {
  return (
    <DialogFoot aside={<ApiCallButton size="xs" calls={calls} />}>
      <Button variant="default" onClick={onCancel}>
        <Trans>Cancel</Trans>
      </Button>
      <Button type="submit" loading={isPending}>
        {children}
      </Button>
    </DialogFoot>
  )
}
