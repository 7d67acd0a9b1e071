import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { Factor, Factors } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { changedByOwnFactors } from '../../data/factors.ts'
import styles from '../../parts/factors/factor.module.css'
import { tellPasswordManager } from '../../parts/factors/tell-password-manager.ts'
import { Consequences, Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

type Props = { factor: Factor; own: Factors; onClose: () => void }

export default function RemoveFactorDialog({ factor: { factor_id, name, kind }, own, onClose }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const { submit, isPending, error } = useSubmit((id: string) => api.factors.removeMine(id), {
    async onSuccess() {
      // Closed when its row is gone, so that the focus does not go there.
      if (kind === 'passkey') void tellPasswordManager(own.passkey_accounts)
      await Promise.all(changedByOwnFactors.map((queryKey) => queries.invalidateQueries({ queryKey })))
      showToast({ message: t`${name} was removed. Your other sessions have ended.` })
      onClose()
    },
  })
  const isLast = own.factors.length === 1
  const isNeeded = isLast && own.required
  return (
    <Dialog isOpen onClose={onClose} title={t`Remove ${name}?`}>
      {isNeeded ? (
        <p className={styles.warning}>
          <Trans>Your organization requires a second factor, and this is your only one. Add another one first.</Trans>
        </p>
      ) : (
        <Consequences>
          <li>
            {kind === 'passkey' ? (
              <Trans>It is no longer accepted. Delete it in your password manager as well.</Trans>
            ) : (
              <Trans>Its codes are no longer accepted. Delete the entry in the app as well.</Trans>
            )}
          </li>
          {isLast && (
            <li>
              <Trans>
                It is your only second factor: you then sign in with a password only. Your recovery codes end too.
              </Trans>
            </li>
          )}
          <li>
            <Trans>Your other sessions end. You stay signed in here.</Trans>
          </li>
        </Consequences>
      )}
      {error && <Problem error={error} title={t`It was not removed.`} />}
      <DialogFoot
        aside={<ApiCallButton calls={[{ operation: 'DELETE /me/factors/{factor_id}', path: { factor_id } }]} />}
      >
        <Button variant="default" onClick={onClose} data-autofocus>
          {isNeeded ? <Trans>Close</Trans> : <Trans>Cancel</Trans>}
        </Button>
        {!isNeeded && (
          <Button color="red.9" loading={isPending} onClick={() => submit(factor_id)}>
            <Trans>Remove</Trans>
          </Button>
        )}
      </DialogFoot>
    </Dialog>
  )
}
