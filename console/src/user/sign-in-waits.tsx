/** Why sign-in must wait, with the button to allow it now. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Lock, User } from 'rollbook/client'
import { api } from '../api/client.ts'
import { useCan } from '../api/me.ts'
import { ApiCallButton } from '../api-call/button.tsx'
import { formatNumber } from '../ui/number.ts'
import { Problem } from '../ui/problem.tsx'
import { Instant } from '../ui/time.tsx'
import { showToast } from '../ui/toasts.tsx'
import { useSubmit } from '../ui/use-submit.ts'
import { lockQuery } from './queries.ts'
import styles from './sign-in-waits.module.css'

type Wait = Lock['waiting'][number]

/** Above the tabs, so that it is visible on each of them. */
export function SignInWaits({ user: { user_id } }: { user: User }) {
  const { t } = useLingui()
  const mayWrite = useCan('users:write')
  const { data: lock } = useQuery(lockQuery(user_id))
  const unlock = useUnlock(user_id)
  if (lock === undefined || lock.waiting.length === 0) return null
  return (
    <section className={styles.box} aria-label={t`Sign-in must wait`}>
      <ul className={styles.waits}>
        {lock.waiting.map((wait) => (
          <li key={`${wait.kind} ${wait.network} ${wait.reason}`}>
            <strong>
              <Reason wait={wait} />
            </strong>{' '}
            {wait.until === null ? (
              <Trans>It lasts until an administrator allows sign-in or sets another password.</Trans>
            ) : (
              <Trans>
                The next attempt is accepted <Instant value={wait.until} style="until" />.
              </Trans>
            )}{' '}
            <Trans>
              Last attempt: <Instant value={wait.last_attempt_at} />.
            </Trans>
          </li>
        ))}
      </ul>
      {unlock.error && <Problem error={unlock.error} title={t`Sign-in must still wait.`} />}
      <div className={styles.buttons}>
        {mayWrite && (
          <Button size="xs" loading={unlock.isPending} onClick={() => unlock.submit('unlock')}>
            <Trans>Allow sign-in now</Trans>
          </Button>
        )}
        <ApiCallButton
          size="xs"
          calls={[
            { operation: 'GET /users/{user_id}/lock', path: { user_id } },
            { operation: 'DELETE /users/{user_id}/lock', path: { user_id } },
          ]}
        />
      </div>
    </section>
  )
}

function Reason({ wait: { kind, network, reason, attempts } }: { wait: Wait }) {
  const { i18n } = useLingui()
  const count = formatNumber(attempts, i18n.locale)
  const place = <bdi dir="ltr">{network}</bdi>
  if (reason === 'locked')
    return <Trans>Locked after {count} wrong passwords in a row: even the right password is refused.</Trans>
  if (reason === 'wrong_passwords_from_many_networks')
    return (
      <Trans>
        Browsers in which this user has not signed in before must wait: {count} wrong passwords from several networks.
      </Trans>
    )
  if (reason === 'network_shut_out')
    return (
      <Trans>
        Attempts from {place} are refused, even with the right password: {count} wrong passwords in a row.
      </Trans>
    )
  if (reason === 'wrong_passwords_for_many_users')
    return (
      <Trans>
        Attempts from {place} must wait: {count} wrong passwords from this network, for any users.
      </Trans>
    )
  if (kind === 'browser')
    return <Trans>A browser that this user has used before must wait: {count} wrong passwords in a row.</Trans>
  return (
    <Trans>
      Attempts from {place} must wait: {count} wrong passwords in a row.
    </Trans>
  )
}

export function useUnlock(user_id: string) {
  const { t } = useLingui()
  const queries = useQueryClient()
  return useSubmit((_: 'unlock') => api.users.unlock(user_id), {
    onSuccess(unlocked) {
      queries.setQueryData(lockQuery(user_id).queryKey, unlocked)
      showToast({ message: t`The user can sign in again.` })
    },
  })
}
