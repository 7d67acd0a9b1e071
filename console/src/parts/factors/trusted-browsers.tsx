/** The browsers in which a user is not asked for the second factor. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Group } from '@mantine/core'
import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import type { TrustedBrowser } from 'rollbook/client'
import type { ApiCall } from '../../api/call.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { DeviceName } from '../../ui/device-name.tsx'
import { Problem } from '../../ui/problem.tsx'
import { RowAction } from '../../ui/row-actions.tsx'
import { Section } from '../../ui/section.tsx'
import { Instant } from '../../ui/time.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import styles from './factor.module.css'

type Props = {
  queryKey: QueryKey
  list: (signal: AbortSignal) => Promise<TrustedBrowser[]>
  /** Undefined: the viewer may only look. */
  remove: ((browser_id: string) => Promise<unknown>) | undefined
  description: string
  calls: (first: TrustedBrowser) => readonly ApiCall[]
}

/** Renders nothing without a trusted browser: most deployments do not offer this. */
export function TrustedBrowsers({ queryKey, list, remove, description, calls }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const { data, error } = useQuery({ queryKey, queryFn: ({ signal }) => list(signal) })
  const removal = useSubmit((browser_id: string) => remove?.(browser_id) ?? Promise.resolve(), {
    onSuccess() {
      void queries.invalidateQueries({ queryKey })
      showToast({ message: t`The browser is no longer trusted.` })
    },
  })
  const [first] = data ?? []
  if (error) return <Problem error={error} title={t`Could not load the trusted browsers.`} />
  if (data === undefined || first === undefined) return null
  return (
    <Section
      title={t`Trusted browsers`}
      description={description}
      actions={<ApiCallButton size="xs" calls={[...calls(first)]} />}
    >
      <ul className={styles.list}>
        {data.map(({ browser_id, device, address, last_used_at, expires_at }) => (
          <li key={browser_id}>
            <div className={styles.what}>
              <strong>
                <DeviceName name={device} />
              </strong>
              <span className={styles.details}>
                <bdi>{address}</bdi>
                <span>
                  <Trans>
                    last used <Instant value={last_used_at} />
                  </Trans>
                </span>
                <span>
                  <Trans>
                    until <Instant value={expires_at} style="date" />
                  </Trans>
                </span>
              </span>
            </div>
            {remove !== undefined && (
              <Group gap={8}>
                <RowAction
                  label={t`Stop trusting ${device}`}
                  isPending={removal.isPending && removal.values === browser_id}
                  onClick={() => removal.submit(browser_id)}
                >
                  <Trans>Stop trusting</Trans>
                </RowAction>
              </Group>
            )}
          </li>
        ))}
      </ul>
      {removal.error && <Problem error={removal.error} title={t`The browser is still trusted.`} />}
    </Section>
  )
}
