import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Deployment } from 'rollbook/client'
import { placeOf } from '../../api/base.ts'
import { useCan } from '../../api/me.ts'
import { deploymentQuery } from '../../data/system.ts'
import { Page } from '../../layout/page.tsx'
import { CopyLine } from '../../ui/copy.tsx'
import { Needs } from '../../ui/missing-permission.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { State } from '../../ui/state.tsx'
import { Instant } from '../../ui/time.tsx'
import { formatBytes, formatUptime } from './checks.ts'
import { Nodes } from './nodes.tsx'
import { RequestSeen } from './request-seen.tsx'
import { SigningKeys } from './signing-keys.tsx'
import styles from './system.module.css'

export default function SystemPage() {
  const { t } = useLingui()
  const canRead = useCan('metrics:read')
  const { data, error, refetch } = useQuery({ ...deploymentQuery, enabled: canRead })
  return (
    <Page
      title={t`System`}
      description={t`State of the service, and how your requests reach it.`}
      calls={canRead ? [{ operation: 'GET /deployment' }] : []}
    >
      <Needs permissions={['metrics:read']} />
      {error !== null && (
        <Problem error={error} retry={() => void refetch()} title={t`Could not load the status of the service.`} />
      )}
      {data !== undefined ? (
        <>
          <Warnings warnings={data.warnings} />
          <Facts deployment={data} />
          <RequestSeen deployment={data} />
          <Nodes nodes={data.nodes} />
        </>
      ) : (
        canRead && error === null && <Skeletons />
      )}
      <SigningKeys />
      <Section
        title={t`Tools`}
        description={t`Tools for operators. The doctor command checks the settings, the store and the proxy, and reports what is wrong.`}
      >
        <CopyLine
          text={`npx rollbook doctor --url ${placeOf('').replace(/\/$/, '')}`}
          label={t`the doctor's command`}
        />
        <ul className={styles.links}>
          <li>
            <a href={placeOf('health/ready')} target="_blank" rel="noreferrer">
              <Trans>Health</Trans>
            </a>
          </li>
          {canRead && (
            <li>
              <a href={placeOf('metrics')} target="_blank" rel="noreferrer">
                <Trans>Metrics</Trans>
              </a>
            </li>
          )}
          <li>
            <a href={placeOf('docs')} target="_blank" rel="noreferrer">
              <Trans>API documentation</Trans>
            </a>
          </li>
          <li>
            <a href={placeOf('docs/problems')} target="_blank" rel="noreferrer">
              <Trans>Problems and what to do</Trans>
            </a>
          </li>
          <li>
            <a href={placeOf('openapi.json')} target="_blank" rel="noreferrer">
              OpenAPI
            </a>
          </li>
        </ul>
      </Section>
    </Page>
  )
}

function Warnings({ warnings }: Pick<Deployment, 'warnings'>) {
  const { t } = useLingui()
  if (warnings.length === 0) return null
  const words: Record<Deployment['warnings'][number]['code'], string> = {
    storage_damaged: t`The storage is damaged, or its disk cannot be read: this node serves no requests. Keep a copy of the data, check the disk, and restore a backup.`,
    trial_store: t`The store is a trial of a backup: no message and no webhook is sent, and nothing outside is called. To use it for real, run “rollbook restored”.`,
    settings_differ: t`Nodes of this installation have different settings. Give all the same; the log of each node names them.`,
    clock_jumped: t`The server clock has jumped. Nothing is deleted by age until the clock has run steadily for a day. Correct it, or confirm the date with ROLLBOOK_CONFIRM_DATE.`,
    session_cookie_not_secure: t`Your browser uses https, but the session cookie would also be sent over plain http. Set ROLLBOOK_PUBLIC_URL to the https address.`,
    forwarded_headers_ignored: t`A proxy sends client addresses, but it is not trusted. If the proxy is yours, add it to ROLLBOOK_TRUSTED_PROXIES.`,
    public_url_differs: t`You used another host name than the one in ROLLBOOK_PUBLIC_URL, which all links use.`,
    public_url_missing: t`Without ROLLBOOK_PUBLIC_URL the access tokens of one node are refused by the others.`,
    second_factor_policy_unknown: t`The second-factor policy (ROLLBOOK_SECOND_FACTOR) names roles or groups that do not exist, so it requires a second factor of no user through them. Correct the names, or create the groups.`,
    inactivity_stopped: t`The inactivity rule would disable more than 5 % of the active users at once, so it has stopped. Look at “rollbook inactivity preview”, then confirm with “rollbook inactivity confirm”, or change the rule.`,
    key_encryption_secret_missing: t`Signing keys and webhook secrets are stored in plain text. Set ROLLBOOK_KEY_ENCRYPTION_SECRET, and keep it apart from backups.`,
  }
  return (
    <section className={styles.warnings} aria-label={t`Warnings`}>
      <h2>
        <Trans>Check these settings</Trans>
      </h2>
      <ul>
        {warnings.map(({ code, detail }) => (
          // A newer service may send warnings that this page does not know.
          <li key={code}>{words[code] ?? detail}</li>
        ))}
      </ul>
    </section>
  )
}

function Facts({ deployment }: { deployment: Deployment }) {
  const { t, i18n } = useLingui()
  const { storage, stage } = deployment
  const isHealthy = stage === 'serving' && storage.ready
  const engine = storage.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'
  return (
    <Section
      title={t`Service`}
      actions={
        isHealthy ? (
          <State kind="good">
            <Trans>Ready</Trans>
          </State>
        ) : (
          <State kind="fault">{storage.ready ? <Trans>Stopping</Trans> : <Trans>Store unreachable</Trans>}</State>
        )
      }
    >
      <dl className={styles.facts}>
        <Fact name={t`Version`}>{deployment.version}</Fact>
        <Fact name={t`Uptime`}>
          <span title={deployment.started_at}>{formatUptime(deployment.uptime_seconds, i18n.locale)}</span>
        </Fact>
        <Fact name="Node.js">{deployment.node_version}</Fact>
        <Fact name={t`Store`}>
          {engine} {storage.version ?? ''}
        </Fact>
        <Fact name={t`Size on disk`}>
          {storage.size_bytes === null ? '–' : formatBytes(storage.size_bytes, i18n.locale)}
        </Fact>
        <Fact name={t`Revocation list`}>
          {storage.current ? <Trans>Up to date</Trans> : <Trans>Not available</Trans>}
        </Fact>
        <Fact name={t`Session cookie`}>
          <code dir="ltr">{deployment.session_cookie}</code>
        </Fact>
        <Fact name={t`Trusted proxies`}>
          {deployment.trusted_proxies.length === 0 ? (
            <Trans>none</Trans>
          ) : (
            <code dir="ltr">{deployment.trusted_proxies.join(', ')}</code>
          )}
        </Fact>
        <Fact name={t`Public URL`}>
          {deployment.public_url === null ? <Trans>not set</Trans> : <code dir="ltr">{deployment.public_url}</code>}
        </Fact>
        <Fact name={t`Clock`}>
          <Instant value={deployment.now} style="full" />
        </Fact>
      </dl>
    </Section>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Skeletons() {
  const { t } = useLingui()
  return (
    <div className={styles.waiting} role="status" aria-label={t`Loading`}>
      <i />
      <i />
      <i />
    </div>
  )
}
