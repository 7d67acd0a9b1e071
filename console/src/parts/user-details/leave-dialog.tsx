import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'

type Props = { isOpen: boolean; onStay: () => void; onLeave: () => void }

export default function LeaveDialog({ isOpen, onStay, onLeave }: Props) {
  const { t } = useLingui()
  return (
    <Dialog isOpen={isOpen} onClose={onStay} title={t`Leave without saving?`}>
      <p>
        <Trans>Your changes on this page have not been saved.</Trans>
      </p>
      <DialogFoot>
        <Button variant="default" onClick={onLeave}>
          <Trans>Leave and discard</Trans>
        </Button>
        <Button data-autofocus onClick={onStay}>
          <Trans>Stay</Trans>
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
