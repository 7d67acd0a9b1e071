import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Checkbox, Group, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { SetPassword, User } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { useMe } from '../../api/me.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { userKey } from '../../data/users.ts'
import { CopyLine } from '../../ui/copy.tsx'
import { DialogFoot } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { useFieldFaults } from '../user-details/use-field-faults.ts'
import styles from '../user-details/user.module.css'
import { NewPasswordInput } from './new-password-input.tsx'

type Props = {
  user: User
  onDirty: (isDirty: boolean) => void
  /** The password is set and shown. */
  onSet?: () => void
  /** In a dialog. */
  onClose?: () => void
}

/** Sets a password, which is shown once to be handed over. */
export function PasswordForm({ user, onDirty, onSet, onClose }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const me = useMe()
  const [shownPassword, setShownPassword] = useState<string | undefined>()
  const form = useForm({ initialValues: { password: '', must_change: true } })
  const { submit, isPending, error } = useSubmit(
    (body: SetPassword, idempotencyKey) => api.users.setPassword(user.user_id, body, { idempotencyKey }),
    {
      stale: [['users']],
      onSuccess(changed, { password }) {
        setShownPassword(password)
        onSet?.()
        form.reset()
        queries.setQueryData(userKey(user.user_id), changed)
      },
    },
  )
  const hasMore = useFieldFaults(form, error, ['password'])
  const isDirty = form.values.password !== ''
  useEffect(() => onDirty(isDirty), [isDirty, onDirty])
  return (
    <>
      {shownPassword !== undefined && (
        <div className={styles.done} role="status">
          <p>
            <strong>
              <Trans>The password is set.</Trans>
            </strong>{' '}
            {onClose === undefined ? (
              <Trans>It is shown until you leave this page, and never again. Give it to the user in a safe way.</Trans>
            ) : (
              <Trans>It is shown until you close this, and never again. Give it to the user in a safe way.</Trans>
            )}
          </p>
          <CopyLine text={shownPassword} label={t`the password`} />
        </div>
      )}
      {shownPassword !== undefined && onClose !== undefined && (
        <DialogFoot>
          <Button onClick={onClose} data-primary>
            <Trans>Done</Trans>
          </Button>
        </DialogFoot>
      )}
      {(shownPassword === undefined || onClose === undefined) && (
        <form
          noValidate
          onSubmit={form.onSubmit((values) => {
            if (values.password === '') form.setFieldError('password', t`Type a password, or generate one.`)
            else submit(values)
          })}
        >
          <Stack gap="lg">
            <input type="text" value={user.username} autoComplete="username" readOnly hidden />
            <NewPasswordInput
              label={t`New password`}
              data-path="password"
              data-autofocus={onClose !== undefined || undefined}
              value={form.values.password}
              onValue={(value) => {
                form.setFieldValue('password', value)
                setShownPassword(undefined)
              }}
              error={form.errors.password}
            />
            <Checkbox
              label={t`The user must choose another password at the next sign-in`}
              {...form.getInputProps('must_change', { type: 'checkbox' })}
            />
            {me.user_id === user.user_id && (
              <p className={styles.warning}>
                <Trans>This is your own account: setting its password here ends this session too.</Trans>
              </p>
            )}
            {hasMore && error && <Problem error={error} title={t`The password was not set.`} />}
            <Group gap={8}>
              <Button type="submit" loading={isPending}>
                {user.has_password ? <Trans>Reset password</Trans> : <Trans>Set password</Trans>}
              </Button>
              <span className={styles.gap} />
              <ApiCallButton
                calls={[
                  {
                    operation: 'POST /users/{user_id}/password',
                    path: { user_id: user.user_id },
                    body: { password: '…', must_change: form.values.must_change },
                  },
                ]}
              />
            </Group>
          </Stack>
        </form>
      )}
    </>
  )
}
