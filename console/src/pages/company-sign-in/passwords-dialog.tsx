import { Trans, useLingui } from '@lingui/react/macro'
import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { RollbookError, type SignInConnection } from 'rollbook/client'
import { api } from '../../api/client.ts'
import type { Exception } from '../../data/sign-in-connections.ts'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { Lockable, useFileLock } from '../../parts/managed/managed-by-file.tsx'
import { UserFinder } from '../../parts/user-finder/user-finder.tsx'
import { Consequences } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { PasswordRule } from './password-rule.tsx'
import styles from './sign-in-connections.module.css'
import { useSave } from './use-save.ts'

type Rule = SignInConnection['passwords']
type Props = { connection: SignInConnection; exceptions: readonly Exception[]; onClose: () => void }

/** Validates each choice with a dry run, so a refusal is shown before anything is saved. */
export default function PasswordsDialog({ connection, exceptions, onClose }: Props) {
  const { t } = useLingui()
  const { connection_id } = connection
  const [passwords, setPasswords] = useState<Rule>(connection.passwords)
  const [picked, setPicked] = useState(exceptions)
  const password_exceptions = picked.map(({ user_id }) => user_id)
  const changes = { passwords, password_exceptions }
  const lock = useFileLock(connection)
  const trial = useQuery({
    queryKey: ['sign-in-connections', connection_id, 'password-trial', changes],
    queryFn: ({ signal }) => api.connections.update(connection_id, changes, { ...lock.howToTry, dryRun: true, signal }),
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
  const { submit, ...sending } = useSave(() => {
    showToast({ message: t`The connection is saved.` })
    onClose()
  })
  const rules: { value: Rule; label: string }[] = [
    { value: 'allowed', label: t`Allowed` },
    { value: 'refused_for_domains', label: t`Refused for the domains of the connection` },
    { value: 'refused_for_all', label: t`Refused for all users` },
  ]
  const refusal = sending.error ?? trial.error
  return (
    <FormDialog
      title={t`Passwords`}
      size="lg"
      isDirty={false}
      sending={sending}
      refusal={t`The connection was not changed.`}
      problem={refusal !== null && <Refusal error={refusal} retry={() => void trial.refetch()} />}
      isDisabled={!trial.isSuccess || lock.isLocked}
      calls={[
        { operation: 'PATCH /connections/{connection_id}', path: { connection_id }, query: lock.how, body: changes },
      ]}
      action={<Trans>Save changes</Trans>}
      onSubmit={() => submit({ connection, changes, how: lock.how })}
      onClose={onClose}
    >
      {lock.notice}
      <Lockable isLocked={lock.isLocked}>
        <NativeSelect
          label={t`Signing in with a password`}
          data={rules}
          value={passwords}
          onChange={({ currentTarget: { value } }) =>
            setPasswords(rules.find((rule) => rule.value === value)?.value ?? 'allowed')
          }
          data-autofocus
        />
        {passwords !== 'allowed' && (
          <>
            <Consequences>
              <li>
                <PasswordRule connection={{ ...connection, passwords }} />
              </li>
              <li>
                <Trans>
                  For the day when the company cannot be reached, name one or two administrators below: they may still
                  use a password.
                </Trans>
              </li>
              <li>
                <Trans>Passkeys still work, and existing sessions continue.</Trans>
              </li>
            </Consequences>
            <UserFinder picked={picked} onPick={setPicked} />
          </>
        )}
      </Lockable>
    </FormDialog>
  )
}

function Refusal({ error, retry }: { error: unknown; retry: () => void }) {
  const { t } = useLingui()
  const isLockout = error instanceof RollbookError && error.code === 'last_password_admin'
  if (!isLockout) return <Problem error={error} retry={retry} title={t`The connection was not changed.`} />
  return (
    <p className={styles.fault} role="alert">
      <Trans>
        No active administrator could sign in with a password any more. Choose one above who has a password, so that
        this service can still be administered when the company cannot be reached.
      </Trans>
    </p>
  )
}
