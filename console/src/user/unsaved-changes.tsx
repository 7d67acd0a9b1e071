import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { Dialog, DialogFoot } from '../ui/dialog.tsx'

/** Asks before what was typed is lost: on the way to another page of the console, or out of it. */
export function UnsavedChanges({ isDirty }: { isDirty: boolean }) {
  const { t } = useLingui()
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  })
  return (
    <Dialog isOpen={status === 'blocked'} onClose={() => reset?.()} title={t`Leave without saving?`}>
      <p>
        <Trans>What you changed on this page has not been saved.</Trans>
      </p>
      <DialogFoot>
        <Button variant="default" onClick={() => proceed?.()}>
          <Trans>Leave, and lose it</Trans>
        </Button>
        <Button data-autofocus onClick={() => reset?.()}>
          <Trans>Stay</Trans>
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
