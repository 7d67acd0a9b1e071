import { Trans, useLingui } from '@lingui/react/macro'
import type { Deployment } from 'rollbook/client'
import { Badge } from '../../ui/badge.tsx'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import records from '../../ui/records.module.css'
import { Section } from '../../ui/section.tsx'
import { Instant } from '../../ui/time.tsx'

type Node = Deployment['nodes'][number]

export function Nodes({ nodes }: Pick<Deployment, 'nodes'>) {
  const { t } = useLingui()
  const columns: Column<Node>[] = [
    {
      label: t`Host`,
      kind: 'name',
      cell: ({ node_id, host, this: isThis }) => (
        <>
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
        </>
      ),
    },
    { label: t`Version`, cell: ({ version }) => version },
    { label: t`Started`, cell: ({ started_at }) => <Instant value={started_at} /> },
    { label: t`Last seen`, cell: ({ last_seen_at }) => <Instant value={last_seen_at} /> },
  ]
  return (
    <Section title={t`Nodes`} description={t`Nodes seen in the last three minutes.`}>
      <RecordTable rows={nodes} keyOf={({ node_id }) => node_id} columns={columns} caption={t`Nodes`} />
    </Section>
  )
}
