import { Trans, useLingui } from '@lingui/react/macro'
import type { Deployment } from 'rollbook/client'
import { Badge } from '../ui/badge.tsx'
import records from '../ui/records.module.css'
import { Section } from '../ui/section.tsx'
import { Instant } from '../ui/time.tsx'

export function Nodes({ nodes }: Pick<Deployment, 'nodes'>) {
  const { t } = useLingui()
  return (
    <Section title={t`Nodes`} description={t`Every process that serves this store, seen in the last three minutes.`}>
      <div className={records.box}>
        <table className={records.table}>
          <caption className="visually-hidden">{t`Nodes`}</caption>
          <thead>
            <tr>
              <th scope="col">
                <Trans>Host</Trans>
              </th>
              <th scope="col">
                <Trans>Version</Trans>
              </th>
              <th scope="col">
                <Trans>Started</Trans>
              </th>
              <th scope="col">
                <Trans>Last seen</Trans>
              </th>
            </tr>
          </thead>
          <tbody>
            {nodes.map(({ node_id, host, version, started_at, last_seen_at, this: isThis }) => (
              <tr key={node_id}>
                <td>
                  <div className={records.name}>
                    {host}{' '}
                    {isThis && (
                      <Badge kind="accent">
                        <Trans>This node</Trans>
                      </Badge>
                    )}
                  </div>
                  <div className={records.under} dir="ltr">
                    {node_id}
                  </div>
                </td>
                <td data-label={t`Version`}>{version}</td>
                <td data-label={t`Started`}>
                  <Instant value={started_at} />
                </td>
                <td data-label={t`Last seen`}>
                  <Instant value={last_seen_at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  )
}
