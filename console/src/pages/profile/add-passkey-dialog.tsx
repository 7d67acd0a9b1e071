/** Adds a passkey: a name, the browser's own prompt, and recovery codes if the user has none. */
import { Trans, useLingui } from '@lingui/react/macro'
import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { changedByOwnFactors } from '../../data/factors.ts'
import { FormFoot } from '../../layout/form-dialog.tsx'
import styles from '../../parts/factors/factor.module.css'
import { createPasskey } from '../../parts/factors/passkey.ts'
import { PasskeyProblem } from '../../parts/factors/passkey-problem.tsx'
import { LastStep } from '../../parts/factors/recovery-codes.tsx'
import { tellPasswordManager } from '../../parts/factors/tell-password-manager.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

type Props = {
  /** How many recovery codes the user has: without any, the dialog continues with them. */
  recoveryCodes: number
  onClose: () => void
}

export default function AddPasskeyDialog({ recoveryCodes, onClose }: Props) {
  const { t } = useLingui()
  const [name, setName] = useState('')
  const [isAdded, setIsAdded] = useState(false)
  const [isShown, setIsShown] = useState(false)
  const { submit, isPending, error } = useSubmit(add, {
    stale: changedByOwnFactors,
    onSuccess(passkey) {
      void tellPasswordManager()
      if (recoveryCodes === 0) return setIsAdded(true)
      showToast({ message: t`${passkey.name} was added. Your other sessions have ended.` })
      onClose()
    },
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      size="lg"
      loses={isShown ? 'secret' : undefined}
      title={isAdded ? t`Recovery codes` : t`Add a passkey`}
    >
      {isAdded ? (
        <LastStep isShown={isShown} onShown={() => setIsShown(true)} onClose={onClose}>
          <Trans>The passkey is added, and your other sessions have ended. One step is left.</Trans>
        </LastStep>
      ) : (
        <form
          className={styles.form}
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            submit(name.trim())
          }}
        >
          <p className={styles.text}>
            <Trans>
              A passkey is kept by this device, your password manager or a security key. You unlock it with a
              fingerprint, your face or a PIN, and sign in without your password.
            </Trans>
          </p>
          <TextInput
            label={t`Name`}
            description={t`Optional. By default it is named after your password manager.`}
            maxLength={64}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {error && <PasskeyProblem error={error} title={t`Nothing was added.`} />}
          <FormFoot
            calls={[
              { operation: 'POST /me/factors/passkeys/options' },
              {
                operation: 'POST /me/factors/passkeys',
                body: { passkey: { id: '…', type: 'public-key', response: {} }, ...(name.trim() && { name }) },
              },
            ]}
            isPending={isPending}
            onCancel={onClose}
          >
            <Trans>Continue</Trans>
          </FormFoot>
        </form>
      )}
    </Dialog>
  )
}

async function add(name: string) {
  const begun = await api.factors.beginPasskey()
  const passkey = await createPasskey(begun)
  return api.factors.addPasskey({ challenge_id: begun.challenge_id, passkey, ...(name !== '' && { name }) })
}
