import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { WebhookEndpoint } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { useCan } from '../../api/me.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { endpointQuery } from '../../data/webhooks.ts'
import { Page } from '../../layout/page.tsx'
import { FileBadge, useFileLock } from '../../parts/managed/managed-by-file.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { Instant } from '../../ui/time.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { WaitingSections } from '../../ui/waiting-sections.tsx'
import { Deliveries } from './deliveries.tsx'
import { healthOf } from './endpoint-changes.ts'
import { FailureNote } from './failure-note.tsx'
import { HealthBadge } from './health-badge.tsx'
import styles from './webhook-page.module.css'

const EditWebhookDialog = lazy(() => import('./edit-webhook-dialog.tsx'))
const RotateSecretDialog = lazy(() => import('./rotate-secret-dialog.tsx'))
const DeleteWebhookDialog = lazy(() => import('./delete-webhook-dialog.tsx'))

type Opened = 'edit' | 'rotate' | 'delete'

const route = getRouteApi('/shell/webhooks/$endpointId')

export default function WebhookPage() {
  const { t } = useLingui()
  const { endpointId } = route.useParams()
  const { data, error, refetch } = useQuery(endpointQuery(endpointId))
  const mayWrite = useCan('webhooks:write')
  const [opened, setOpened] = useState<Opened | undefined>()
  const close = () => setOpened(undefined)
  const path = { endpoint_id: endpointId }
  return (
    <Page
      title={data === undefined ? t`Webhook` : data.description || new URL(data.url).host}
      back={
        <BackLink to="/webhooks">
          <Trans>Webhooks</Trans>
        </BackLink>
      }
      description={data && <FileBadge of={data} />}
      changes={['webhooks:write']}
      calls={[{ operation: 'GET /webhooks/{endpoint_id}', path }]}
      actions={
        data !== undefined &&
        mayWrite && (
          <>
            <Button variant="default" onClick={() => setOpened('delete')}>
              <Trans>Delete webhook</Trans>
            </Button>
            <Button variant="default" onClick={() => setOpened('edit')}>
              <Trans>Edit webhook</Trans>
            </Button>
            <TestButton endpoint={data} />
          </>
        )
      }
    >
      {error && <Problem error={error} retry={() => void refetch()} title={t`Could not load the webhook.`} />}
      {data === undefined && !error && <WaitingSections />}
      {data !== undefined && (
        <>
          <State endpoint={data} />
          <Deliveries endpoint={data} />
          {mayWrite && <Secret onRotate={() => setOpened('rotate')} />}
          <Suspense fallback={null}>
            {opened === 'edit' && <EditWebhookDialog endpoint={data} onClose={close} />}
            {opened === 'rotate' && <RotateSecretDialog endpoint={data} onClose={close} />}
            {opened === 'delete' && <DeleteWebhookDialog endpoint={data} onClose={close} />}
          </Suspense>
        </>
      )}
    </Page>
  )
}

function TestButton({ endpoint: { endpoint_id, active } }: { endpoint: WebhookEndpoint }) {
  const { t } = useLingui()
  const { submit, isPending, error, reset } = useSubmit(
    (id: string, idempotencyKey) => api.webhooks.test(id, { idempotencyKey }),
    {
      stale: [['webhooks', endpoint_id]],
      onSuccess() {
        showToast({ message: t`The test is on its way. Its result appears in the list below.` })
      },
    },
  )
  return (
    <>
      <Button
        loading={isPending}
        disabled={!active}
        title={active ? undefined : t`Nothing is sent while it is disabled.`}
        onClick={() => submit(endpoint_id)}
      >
        <Trans>Send test</Trans>
      </Button>
      {error && (
        <div className={styles.wide}>
          <Problem error={error} retry={reset} title={t`The test was not sent.`} />
        </div>
      )}
    </>
  )
}

function State({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { t } = useLingui()
  const mayWrite = useCan('webhooks:write')
  const { endpoint_id, url, event_types, active, previous_secret_expires_at, created_at } = endpoint
  const lock = useFileLock(endpoint)
  const { submit, isPending, error } = useSubmit(
    (isActive: boolean) => api.webhooks.update(endpoint_id, { active: isActive }, lock.how),
    {
      stale: [['webhooks']],
      onSuccess({ active: isActive }) {
        showToast({ message: isActive ? t`Pending deliveries are being sent.` : t`The webhook is disabled.` })
      },
    },
  )
  const health = healthOf(endpoint)
  const call = (isActive: boolean) => ({
    operation: 'PATCH /webhooks/{endpoint_id}' as const,
    path: { endpoint_id },
    query: lock.how,
    body: { active: isActive },
  })
  return (
    <Section
      title={<Trans>Endpoint</Trans>}
      actions={
        mayWrite && (
          <>
            <ApiCallButton size="xs" calls={[call(health !== 'active')]} />
            {health !== 'active' && (
              <Button size="xs" loading={isPending} disabled={!active && lock.isLocked} onClick={() => submit(true)}>
                {active ? <Trans>Retry now</Trans> : <Trans>Enable webhook</Trans>}
              </Button>
            )}
            {active && (
              <Button
                size="xs"
                variant="default"
                loading={isPending}
                disabled={lock.isLocked}
                onClick={() => submit(false)}
              >
                <Trans>Disable webhook</Trans>
              </Button>
            )}
          </>
        )
      }
    >
      {mayWrite && lock.notice}
      {error && <Problem error={error} title={t`The webhook was not changed.`} />}
      <Facts>
        <Fact name={t`State`}>
          <div className={styles.state}>
            <HealthBadge endpoint={endpoint} />
            <HealthText endpoint={endpoint} />
          </div>{' '}
        </Fact>
        <Fact name={t`URL`}>
          <span dir="ltr" className={styles.url}>
            {url}
          </span>
        </Fact>
        <Fact name={t`Events`}>
          {event_types === null ? (
            <Trans>All events, including those of later releases</Trans>
          ) : (
            <span dir="ltr">
              <code>{event_types.join(', ')}</code>
            </span>
          )}
        </Fact>
        <Fact name={t`Created`}>
          <Instant value={created_at} style="full" />
        </Fact>
        {previous_secret_expires_at !== null && (
          <Fact name={t`Secret`}>
            <span>
              <Trans>
                Two secrets sign until <Instant value={previous_secret_expires_at} style="full" />.
              </Trans>
            </span>
          </Fact>
        )}
      </Facts>
    </Section>
  )
}

/** What the state means for the deliveries. */
function HealthText({ endpoint }: { endpoint: WebhookEndpoint }) {
  const health = healthOf(endpoint)
  return (
    <span className={styles.said}>
      {health === 'active' && <Trans>Events are sent as they happen.</Trans>}
      <FailureNote endpoint={endpoint} />{' '}
      {health === 'failing' && (
        <Trans>Deliveries are retried; after five days without success the webhook is disabled.</Trans>
      )}
      {health === 'off' && <Trans>Nothing is sent. Events wait until the webhook is enabled again.</Trans>}
      {health === 'off_failing' && (
        <Trans>
          No delivery has succeeded for five days. Once the receiver works again, enable the webhook: no event is lost.
        </Trans>
      )}
      {health === 'off_gone' && <Trans>The receiver responded with 410 Gone, which asks for no more deliveries.</Trans>}
    </span>
  )
}

function Secret({ onRotate }: { onRotate: () => void }) {
  return (
    <Section
      title={<Trans>Secret</Trans>}
      description={
        <Trans>The secret signs what is sent. It can be rotated without downtime, but never read again.</Trans>
      }
      actions={
        <Button size="xs" variant="default" onClick={onRotate}>
          <Trans>Rotate secret</Trans>
        </Button>
      }
    />
  )
}
