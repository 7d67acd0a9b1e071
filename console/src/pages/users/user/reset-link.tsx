/** A link with which a user sets a new password: sent, or shown once to hand it over. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group } from '@mantine/core'
import type { HandOutLink, User } from 'rollbook/client'
import { api } from '../../../api/client.ts'
import { ApiCallButton } from '../../../api-call/button.tsx'
import styles from '../../../parts/user-details/user.module.css'
import { CopyLine } from '../../../ui/copy.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Section } from '../../../ui/section.tsx'
import { Instant } from '../../../ui/time.tsx'
import { showToast } from '../../../ui/toasts.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'

export function ResetLink({ user: { user_id, username, email } }: { user: User }) {
  const { t } = useLingui()
  const { submit, isPending, values, error, result } = useSubmit(
    (body: HandOutLink, idempotencyKey) => api.users.createPasswordReset(user_id, body, { idempotencyKey }),
    {
      onSuccess({ url }) {
        if (url === undefined) showToast({ message: t`The link for ${username} is on its way to ${email ?? ''}.` })
      },
    },
  )
  return (
    <Section
      title={t`Link for a new password`}
      description={t`The link works once, for an hour. The current password stays valid until then.`}
    >
      {error && <Problem error={error} title={t`No link was created.`} />}
      {result?.url !== undefined && (
        <div className={styles.done} role="status">
          <p>
            <Trans>
              It is shown only here. Anyone with the link can set the password. It works once, until{' '}
              <Instant value={result.expires_at} style="full" />.
            </Trans>
          </p>
          <CopyLine text={result.url} label={t`the link`} />
        </div>
      )}
      <Group gap={8}>
        {email !== null && (
          <Button variant="default" loading={isPending && values?.send !== false} onClick={() => submit({})}>
            <Trans>Send link</Trans>
          </Button>
        )}
        <Button variant="default" loading={isPending && values?.send === false} onClick={() => submit({ send: false })}>
          <Trans>Create link</Trans>
        </Button>
        <span className={styles.gap} />
        <ApiCallButton
          calls={[
            {
              operation: 'POST /users/{user_id}/password-reset',
              path: { user_id },
              body: email === null ? { send: false } : {},
            },
          ]}
        />
      </Group>
    </Section>
  )
}
