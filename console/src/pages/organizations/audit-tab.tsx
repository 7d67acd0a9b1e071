import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { AuditRecord, Organization } from 'rollbook/client'
import { useCanEverywhere } from '../../api/me.ts'
import { auditQuery } from '../../data/audit.ts'
import type { AuditSearch } from '../../data/search/audit.ts'
import { useRecordWords } from '../../parts/audit/record-words.ts'
import { Empty } from '../../ui/empty.tsx'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import { Records, WaitingTable } from '../../ui/records.tsx'
import { Instant } from '../../ui/time.tsx'
import { Tab } from './tab.tsx'

/** What was done to the organization and to all that belongs to it. The records of a limited viewer are of nothing else anyway. */
export function AuditTab({ organization: { organization_id } }: { organization: Organization }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const isOfAll = useCanEverywhere('audit:read')
  const search: AuditSearch = isOfAll ? { organization: organization_id } : {}
  const query = useInfiniteQuery(auditQuery(search))
  const { actor: actorOf, event: wordsOf } = useRecordWords()
  const columns: Column<AuditRecord>[] = [
    { label: t`Action`, kind: 'name', cell: (record) => wordsOf({ records: [record] }) },
    { label: t`Done to`, cell: ({ target }) => <bdi>{target?.name ?? target?.id ?? '–'}</bdi> },
    { label: t`By`, cell: (record) => <bdi>{actorOf(record)}</bdi> },
    { label: t`When`, cell: ({ occurred_at }) => <Instant value={occurred_at} /> },
  ]
  return (
    <Tab
      note={<Trans>Everything about this organization and what belonged to it at that time, newest first.</Trans>}
      actions={
        <Button variant="default" onClick={() => void navigate({ to: '/audit', search })}>
          <Trans>Open in the audit</Trans>
        </Button>
      }
    >
      <Records
        source={query}
        rows={query.data?.pages.flatMap((page) => page.records)}
        problem={t`Could not load the records.`}
        waiting={<WaitingTable rows={3} widths={['40%', '20%']} />}
        empty={<Empty title={<Trans>No records yet.</Trans>} />}
        more={{ label: <Trans>Show older</Trans> }}
      >
        {(rows) => <RecordTable rows={rows} keyOf={({ record_id }) => record_id} columns={columns} />}
      </Records>
    </Tab>
  )
}
