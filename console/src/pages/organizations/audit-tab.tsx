import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { AuditRecord, Organization } from 'rollbook/client'
import { useCanEverywhere } from '../../api/me.ts'
import { auditQuery } from '../../data/audit.ts'
import { useRecordWords } from '../../parts/audit/record-words.ts'
import { useActionWords } from '../../parts/user-details/words.ts'
import { Empty } from '../../ui/empty.tsx'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import { Records, WaitingTable } from '../../ui/records.tsx'
import { Instant } from '../../ui/time.tsx'
import { Tab } from './tab.tsx'

/** What was done to the organization. An administrator who is limited to it sees everything of it on the page of the audit. */
export function AuditTab({ organization: { organization_id } }: { organization: Organization }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const isOfAll = useCanEverywhere('audit:read')
  const search = { target: organization_id }
  const query = useInfiniteQuery(auditQuery(search))
  const wordsOf = useActionWords()
  const { actor: actorOf } = useRecordWords()
  const columns: Column<AuditRecord>[] = [
    { label: t`Action`, kind: 'name', cell: ({ action, outcome }) => wordsOf(action, outcome) },
    { label: t`By`, cell: (record) => <bdi>{actorOf(record)}</bdi> },
    { label: t`When`, cell: ({ occurred_at }) => <Instant value={occurred_at} /> },
  ]
  return (
    <Tab
      note={<Trans>Changes of the organization itself and of its domains, newest first.</Trans>}
      actions={
        <Button variant="default" onClick={() => void navigate({ to: '/audit', search: isOfAll ? search : {} })}>
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
