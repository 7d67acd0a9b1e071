import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Skeleton, Stack } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { User } from 'rollbook/client'
import { api } from '../../../api/client.ts'
import { useCan, useMe } from '../../../api/me.ts'
import { ApiCallButton } from '../../../api-call/button.tsx'
import { lockQuery, sessionsQuery } from '../../../data/users.ts'
import { SessionList, WaitingSessions } from '../../../parts/sessions/session-list.tsx'
import styles from '../../../parts/user-details/user.module.css'
import { Problem } from '../../../ui/problem.tsx'
import { Records } from '../../../ui/records.tsx'
import { Section } from '../../../ui/section.tsx'
import { showToast } from '../../../ui/toasts.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { useUnlock } from './sign-in-answer.tsx'

export function SessionsTab({ user }: { user: User }) {
  return (
    <Stack gap="lg">
      <Sessions user={user} />
      <LockState user={user} />
    </Stack>
  )
}

function Sessions({ user }: { user: User }) {
  const { user_id } = user
  const { t } = useLingui()
  const queries = useQueryClient()
  const mayEnd = useCan('sessions:write', user)
  const query = useQuery(sessionsQuery(user_id))
  const sessions = query.data
  const refresh = () => void queries.invalidateQueries({ queryKey: sessionsQuery(user_id).queryKey })
  const one = useSubmit((session_id: string) => api.sessions.endOf(user_id, session_id), {
    onSuccess() {
      refresh()
      showToast({ message: t`The session has ended.` })
    },
  })
  const all = useSubmit((_: 'all') => api.sessions.endAllOf(user_id), {
    onSuccess() {
      refresh()
      showToast({ message: t`Signed out everywhere.` })
    },
  })
  const others = sessions?.filter(({ current }) => !current) ?? []
  return (
    <Section
      title={t`Sessions`}
      description={t`Where this user is signed in. Ending a session takes effect within a second.`}
      actions={
        <>
          <ApiCallButton
            size="xs"
            calls={[
              { operation: 'GET /users/{user_id}/sessions', path: { user_id } },
              ...others.slice(0, 1).map(({ session_id }) => ({
                operation: 'DELETE /users/{user_id}/sessions/{session_id}' as const,
                path: { user_id, session_id },
              })),
              { operation: 'DELETE /users/{user_id}/sessions', path: { user_id } },
            ]}
          />
          {mayEnd && others.length > 0 && (
            <Button size="xs" variant="default" loading={all.isPending} onClick={() => all.submit('all')}>
              <Trans>End all sessions</Trans>
            </Button>
          )}
        </>
      }
    >
      <Records
        source={query}
        rows={sessions}
        problem={t`Could not load the sessions.`}
        waiting={<WaitingSessions />}
        empty={
          <p className={styles.empty}>
            <Trans>Not signed in anywhere.</Trans>
          </p>
        }
      >
        {(rows) => (
          <SessionList
            sessions={rows}
            onEnd={mayEnd ? ({ session_id }) => one.submit(session_id) : undefined}
            ending={one.isPending ? one.values : undefined}
          />
        )}
      </Records>
      {one.error && <Problem error={one.error} title={t`The session was not ended.`} />}
      {all.error && <Problem error={all.error} title={t`The sessions were not ended.`} />}
    </Section>
  )
}

function LockState({ user }: { user: User }) {
  const { user_id } = user
  const { t } = useLingui()
  const isMe = useMe().user_id === user_id
  const mayUnlock = useCan('users:write', user) && !isMe
  const { data: lock, error, refetch } = useQuery(lockQuery(user_id))
  const unlock = useUnlock(user_id)
  const waits = lock?.waiting.length ?? 0
  return (
    <Section
      title={t`Wrong passwords`}
      description={t`After several wrong passwords sign-in is paused, then locked until you allow it.`}
      actions={
        <>
          <ApiCallButton
            size="xs"
            calls={[
              { operation: 'GET /users/{user_id}/lock', path: { user_id } },
              { operation: 'DELETE /users/{user_id}/lock', path: { user_id } },
            ]}
          />
          {mayUnlock && lock !== undefined && (lock.failures > 0 || waits > 0) && (
            <Button size="xs" variant="default" loading={unlock.isPending} onClick={() => unlock.submit('unlock')}>
              {waits > 0 ? <Trans>Allow sign-in</Trans> : <Trans>Reset count</Trans>}
            </Button>
          )}
        </>
      }
    >
      {lock !== undefined ? (
        <p className={waits > 0 ? styles.warning : styles.empty}>
          {waits > 0 ? (
            <Trans>Sign-in is paused. The reason is at the top of this page.</Trans>
          ) : lock.failures === 0 ? (
            <Trans>None since the last sign-in.</Trans>
          ) : (
            <Plural value={lock.failures} one="# in a row." other="# in a row." />
          )}
        </p>
      ) : error ? (
        <Problem error={error} retry={() => void refetch()} title={t`Could not load the status.`} />
      ) : (
        <Skeleton height={22} width="40%" aria-busy="true" />
      )}
      {unlock.error && <Problem error={unlock.error} title={t`Sign-in is still paused.`} />}
    </Section>
  )
}
