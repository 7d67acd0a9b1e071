import { Trans, useLingui } from '@lingui/react/macro'
import type { Apply } from '../../data/configuration.ts'
import { DetailsButton } from '../../ui/details-button.tsx'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import { Section } from '../../ui/section.tsx'
import { Instant } from '../../ui/time.tsx'
import { PlanDetails } from './plan-details.tsx'

/** The last applies, and what each changed. */
export function Applies({ applies }: { applies: readonly Apply[] }) {
  const { t } = useLingui()
  if (applies.length === 0) return null
  const columns: Column<Apply>[] = [
    { label: t`Applied`, kind: 'name', cell: ({ applied_at }) => <Instant value={applied_at} /> },
    { label: t`Source`, cell: ({ source }) => (source === null ? '–' : <bdi>{source}</bdi>) },
    {
      label: t`Changes`,
      cell: ({ created, updated, renamed, deleted, adopted }) => {
        const changed = updated + renamed
        return (
          <Trans>
            {created} created, {changed} changed, {deleted} deleted, {adopted} adopted
          </Trans>
        )
      },
    },
    {
      label: t`Details`,
      kind: 'actions',
      cell: (_row, details) => <DetailsButton {...details} />,
    },
  ]
  return (
    <Section title={t`Last applies`}>
      <RecordTable
        rows={applies}
        keyOf={({ apply_id }) => apply_id}
        columns={columns}
        caption={t`Last applies`}
        details={({ changes }) => <PlanDetails changes={changes} />}
      />
    </Section>
  )
}
