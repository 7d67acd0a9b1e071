/** Adds one-time codes: a name, the QR code for the app, the first code, and recovery codes if there are none. */
import { Trans, useLingui } from '@lingui/react/macro'
import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { NewTotp } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { changedByOwnFactors } from '../../data/factors.ts'
import { FormFoot } from '../../layout/form-dialog.tsx'
import { CopyLine } from '../../ui/copy.tsx'
import { Dialog, type Loss } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { useFieldFaults } from '../user-details/use-field-faults.ts'
import styles from './factor.module.css'
import { LastStep } from './recovery-codes.tsx'

type Props = {
  /** How many recovery codes the user has: without any, the dialog continues with them. */
  recoveryCodes: number
  onClose: () => void
}

export default function AddCodesDialog({ recoveryCodes, onClose }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const [begun, setBegun] = useState<NewTotp>()
  const [isActive, setIsActive] = useState(false)
  const [isShown, setIsShown] = useState(false)
  const loses: Loss | undefined = isShown ? 'secret' : begun !== undefined && !isActive ? 'input' : undefined
  function activated() {
    for (const queryKey of changedByOwnFactors) void queries.invalidateQueries({ queryKey })
    if (recoveryCodes === 0) return setIsActive(true)
    showToast({ message: t`One-time codes are active. Your other sessions have ended.` })
    onClose()
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      size="lg"
      loses={loses}
      title={isActive ? t`Recovery codes` : t`Add one-time codes`}
    >
      {isActive ? (
        <LastStep isShown={isShown} onShown={() => setIsShown(true)} onClose={onClose}>
          <Trans>One-time codes are active, and your other sessions have ended. One step is left.</Trans>
        </LastStep>
      ) : begun === undefined ? (
        <Name onBegun={setBegun} onClose={onClose} />
      ) : (
        <FirstCode begun={begun} onActive={activated} onClose={onClose} />
      )}
    </Dialog>
  )
}

function Name({ onBegun, onClose }: { onBegun: (begun: NewTotp) => void; onClose: () => void }) {
  const { t } = useLingui()
  const form = useForm({ name: 'add-codes', initialValues: { name: t`My phone` } })
  const { submit, isPending, error } = useSubmit(
    (body: { name: string }, idempotencyKey) => api.factors.addTotp(body, { idempotencyKey }),
    { onSuccess: onBegun },
  )
  const hasMore = useFieldFaults(form, error, ['name'])
  return (
    <form className={styles.form} noValidate onSubmit={form.onSubmit(submit)}>
      <p className={styles.text}>
        <Trans>
          An authenticator app on your phone shows a new code every 30 seconds. After the password, you enter the code.
          A stolen password is then not enough.
        </Trans>
      </p>
      <TextInput
        label={t`Name`}
        description={t`Where the app is, so that you recognize it later.`}
        maxLength={64}
        data-autofocus
        {...form.getInputProps('name')}
      />
      {hasMore && error && <Problem error={error} title={t`Nothing was added.`} />}
      <FormFoot
        calls={[{ operation: 'POST /me/factors/totp', body: { name: form.values.name } }]}
        isPending={isPending}
        onCancel={onClose}
      >
        <Trans>Continue</Trans>
      </FormFoot>
    </form>
  )
}

type FirstCodeProps = { begun: NewTotp; onActive: () => void; onClose: () => void }

function FirstCode({ begun, onActive, onClose }: FirstCodeProps) {
  const { t } = useLingui()
  const { factor_id, secret, otpauth_uri, qr_code } = begun
  const form = useForm({
    name: 'first-code',
    initialValues: { code: '' },
    validate: { code: (value) => (value.trim() === '' ? t`Enter the code that the app shows.` : null) },
  })
  const { submit, isPending, error } = useSubmit(
    ({ code }: { code: string }, idempotencyKey) => api.factors.confirmTotp(factor_id, code, { idempotencyKey }),
    { onSuccess: onActive },
  )
  const hasMore = useFieldFaults(form, error, ['code'])
  return (
    <form className={styles.form} noValidate onSubmit={form.onSubmit(submit)}>
      <div className={styles.scan}>
        <img
          className={styles.picture}
          src={`data:image/svg+xml,${encodeURIComponent(qr_code)}`}
          alt={t`QR code with the secret that is shown beside it`}
        />
        <div>
          <p className={styles.text}>
            <Trans>Scan the QR code with the app, or type this secret into it:</Trans>
          </p>
          <CopyLine text={inGroups(secret)} label={t`the secret`} />
          <p className={styles.text}>
            <a href={otpauth_uri}>
              <Trans>The app is on this device</Trans>
            </a>
          </p>
        </div>
      </div>
      <TextInput
        label={t`Code from the app`}
        description={t`Six digits. The codes become active with the first one.`}
        autoComplete="one-time-code"
        inputMode="numeric"
        spellCheck={false}
        dir="ltr"
        autoFocus
        {...form.getInputProps('code')}
      />
      {hasMore && error && <Problem error={error} title={t`The codes are not active yet.`} />}
      <FormFoot
        calls={[{ operation: 'POST /me/factors/totp/{factor_id}/confirm', path: { factor_id }, body: { code: '…' } }]}
        isPending={isPending}
        onCancel={onClose}
      >
        <Trans>Activate</Trans>
      </FormFoot>
    </form>
  )
}

/** Easier to type; apps ignore the spaces. */
function inGroups(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(' ') ?? secret
}
