import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useEffect, useRef } from 'react'
import type { ChangeOwnPassword, Me } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { NewPasswordInput } from '../../parts/user-actions/new-password-input.tsx'
import { useFieldFaults } from '../../parts/user-details/use-field-faults.ts'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import styles from './profile.module.css'

type Props = { me: Me; onDirty: (isDirty: boolean) => void }

const fields = ['current_password', 'new_password']

export function OwnPassword({ me, onDirty }: Props) {
  const { t } = useLingui()
  const form = useForm({
    // The details form has a current password, too.
    name: 'own-password',
    initialValues: { current_password: '', new_password: '' },
  })
  const { submit, isPending, error } = useSubmit(
    (body: ChangeOwnPassword, idempotencyKey) => api.me.changePassword(body, { idempotencyKey }),
    {
      stale: [['me'], ['sessions']],
      onSuccess({ revoked }) {
        form.reset()
        showToast({
          message: (
            <Trans>
              Your password was changed.{' '}
              <Plural
                value={revoked}
                _0="You were signed in nowhere else."
                one="# other session was ended."
                other="# other sessions were ended."
              />
            </Trans>
          ),
        })
      },
    },
  )
  const hasMore = useFieldFaults(form, error, fields)
  const isDirty = form.values.new_password !== ''
  const report = useRef(onDirty)
  report.current = onDirty
  useEffect(() => report.current(isDirty), [isDirty])
  return (
    <Section
      title={t`Password`}
      description={t`A new password ends all your other sessions. A database account with the same name keeps its own password.`}
    >
      <form
        noValidate
        onSubmit={form.onSubmit((values) => {
          if (values.current_password === '') form.setFieldError('current_password', t`Type your current password.`)
          else if (values.new_password === '') form.setFieldError('new_password', t`Type a password, or generate one.`)
          else submit(values)
        })}
      >
        <Stack gap="lg">
          <input type="text" value={me.username} autoComplete="username" readOnly hidden />
          <PasswordInput
            className={styles.narrow ?? ''}
            label={t`Your current password`}
            autoComplete="current-password"
            dir="ltr"
            visibilityToggleFocusable
            visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the password` }}
            {...form.getInputProps('current_password')}
            aria-invalid={'current_password' in form.errors || undefined}
          />
          <NewPasswordInput
            label={t`New password`}
            data-path="own-password-new_password"
            value={form.values.new_password}
            onValue={(value) => form.setFieldValue('new_password', value)}
            error={form.errors.new_password}
          />
          {hasMore && error && <Problem error={error} title={t`Your password was not changed.`} />}
          <Group gap={8}>
            <Button type="submit" loading={isPending}>
              <Trans>Change password</Trans>
            </Button>
            <span className={styles.gap} />
            <ApiCallButton
              calls={[{ operation: 'POST /me/password', body: { current_password: '…', new_password: '…' } }]}
            />
          </Group>
        </Stack>
      </form>
    </Section>
  )
}
