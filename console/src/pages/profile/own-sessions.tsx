import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { ownSessionsQuery } from '../../data/sessions.ts'
import { SessionList, WaitingSessions } from '../../parts/sessions/session-list.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Records } from '../../ui/records.tsx'
import { Section } from '../../ui/section.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

export function OwnSessions() {
  const { t } = useLingui()
  const queries = useQueryClient()
  const query = useQuery(ownSessionsQuery)
  const sessions = query.data
  const refresh = () => void queries.invalidateQueries({ queryKey: ownSessionsQuery.queryKey })
  const one = useSubmit((session_id: string) => api.sessions.end(session_id), {
    onSuccess() {
      refresh()
      showToast({ message: t`The session has ended.` })
    },
  })
  const others = useSubmit((_: 'others') => api.sessions.endOthers(), {
    onSuccess({ revoked }) {
      refresh()
      showToast({
        message: <Plural value={revoked} one="# session has ended." other="# sessions have ended." />,
      })
    },
  })
  const first = sessions?.find(({ current }) => !current)
  return (
    <Section
      title={t`Where you are signed in`}
      actions={
        <>
          <ApiCallButton
            size="xs"
            calls={[
              { operation: 'GET /sessions' },
              ...(first === undefined
                ? []
                : [{ operation: 'DELETE /sessions/{session_id}' as const, path: { session_id: first.session_id } }]),
              { operation: 'DELETE /sessions' },
            ]}
          />
          {first !== undefined && (
            <Button size="xs" variant="default" loading={others.isPending} onClick={() => others.submit('others')}>
              <Trans>End other sessions</Trans>
            </Button>
          )}
        </>
      }
    >
      <Records source={query} rows={sessions} problem={t`Could not load your sessions.`} waiting={<WaitingSessions />}>
        {(rows) => (
          <SessionList
            sessions={rows}
            onEnd={({ session_id }) => one.submit(session_id)}
            ending={one.isPending ? one.values : undefined}
          />
        )}
      </Records>
      {one.error && <Problem error={one.error} title={t`The session was not ended.`} />}
      {others.error && <Problem error={others.error} title={t`The sessions were not ended.`} />}
    </Section>
  )
}
