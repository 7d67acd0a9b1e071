import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { SignInConnection } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

/** Reads all users of a directory, as an import job. The page of the job has progress, results and rejects. */
export function Synchronization({ connection: { connection_id } }: { connection: SignInConnection }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { submit, isPending, error, values } = useSubmit(
    (dryRun: boolean, idempotencyKey) => api.connections.sync(connection_id, { dryRun, idempotencyKey }),
    {
      stale: [['imports']],
      onSuccess({ job_id: jobId }) {
        void navigate({ to: '/imports/$jobId', params: { jobId } })
      },
    },
  )
  return (
    <Section
      title={<Trans>Synchronization</Trans>}
      description={
        <Trans>
          Creates, updates and disables users to match the directory. A dry run first shows what would happen to each.
        </Trans>
      }
      actions={
        <ApiCallButton
          size="xs"
          calls={[
            { operation: 'POST /connections/{connection_id}/sync', path: { connection_id }, query: { dry_run: true } },
          ]}
        />
      }
    >
      <Group gap="sm">
        <Button variant="default" loading={isPending && values === true} onClick={() => submit(true)}>
          <Trans>Dry run</Trans>
        </Button>
        <Button variant="default" loading={isPending && values === false} onClick={() => submit(false)}>
          <Trans>Synchronize now</Trans>
        </Button>
      </Group>
      {error && <Problem error={error} title={t`The synchronization did not start.`} />}
    </Section>
  )
}
