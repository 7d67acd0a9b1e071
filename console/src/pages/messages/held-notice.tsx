import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useCan } from '../../api/me.ts'
import { useMailServer } from '../../data/mails.ts'
import { ConfirmDialog } from '../../layout/form-dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import styles from './mails.module.css'

type Decision = 'release' | 'discard'

/** After a restore: the messages that an operator has to decide about. Renders nothing without any. */
export function HeldNotice() {
  const { data } = useMailServer()
  const mayWrite = useCan('mails:write')
  const [decision, setDecision] = useState<Decision | undefined>()
  const held = data?.held ?? 0
  if (held === 0) return null
  return (
    <div className={styles.notice} role="note">
      <p>
        <strong>
          <Plural
            value={held}
            one="# message is held, because the service was restored from a backup."
            other="# messages are held, because the service was restored from a backup."
          />
        </strong>
      </p>
      <p>
        <Trans>
          They waited when the backup was made, and may have been sent since. Look at them, then send or discard them.
        </Trans>
      </p>
      {mayWrite && (
        <Group gap={8} align="end">
          <Button variant="default" disabled={data?.configured !== true} onClick={() => setDecision('release')}>
            <Trans>Send held messages</Trans>
          </Button>
          <Button variant="default" onClick={() => setDecision('discard')}>
            <Trans>Discard held messages</Trans>
          </Button>
        </Group>
      )}
      {decision !== undefined && <DecisionDialog decision={decision} onClose={() => setDecision(undefined)} />}
    </div>
  )
}

function DecisionDialog({ decision, onClose }: { decision: Decision; onClose: () => void }) {
  const { t } = useLingui()
  const { submit, ...sending } = useSubmit(
    (one: Decision, idempotencyKey): Promise<unknown> => api.mails[one]({}, { idempotencyKey }),
    {
      stale: [['mails']],
      onSuccess() {
        showToast({
          message: decision === 'release' ? t`The held messages are sent now.` : t`The held messages were discarded.`,
        })
        onClose()
      },
    },
  )
  const title = decision === 'release' ? t`Send all held messages?` : t`Discard all held messages?`
  return (
    <ConfirmDialog
      title={title}
      sending={sending}
      refusal={t`Nothing was changed.`}
      calls={[{ operation: `POST /mails/${decision}`, body: {} }]}
      action={decision === 'release' ? <Trans>Send</Trans> : <Trans>Discard</Trans>}
      focus="none"
      onConfirm={() => submit(decision)}
      onClose={onClose}
    >
      <p>
        {decision === 'release' ? (
          <Trans>Users get a message twice if it was sent before the restore.</Trans>
        ) : (
          <Trans>Users who still need an invitation can be invited again.</Trans>
        )}
      </p>
    </ConfirmDialog>
  )
}
