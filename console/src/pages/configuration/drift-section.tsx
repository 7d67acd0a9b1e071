import { plural } from '@lingui/core/macro'
import { useLingui as useI18n } from '@lingui/react'
import { Trans, useLingui } from '@lingui/react/macro'
import type { Drift } from '../../data/configuration.ts'
import { Empty } from '../../ui/empty.tsx'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import { Section } from '../../ui/section.tsx'
import { kindTexts } from './kind-texts.ts'

type Props = { drift: readonly Drift[]; managed: number }

/** What is not as the last apply left it. */
export function DriftSection({ drift, managed }: Props) {
  const { t } = useLingui()
  const { i18n } = useI18n()
  const columns: Column<Drift>[] = [
    { label: t`Name`, kind: 'name', cell: ({ name }) => <bdi>{name}</bdi> },
    {
      label: t`Kind`,
      cell: ({ kind }) => {
        const text = kindTexts[kind]
        return text === undefined ? kind : i18n._(text)
      },
    },
    {
      label: t`Changed by hand`,
      cell: ({ deleted, members }) => (deleted ? <Trans>Deleted</Trans> : <span dir="ltr">{members.join(', ')}</span>),
    },
  ]
  const description = plural(managed, {
    one: '# object is managed by a file. The next apply undoes changes by hand.',
    other: '# objects are managed by a file. The next apply undoes changes by hand.',
  })
  return (
    <Section title={t`Changed by hand`} {...(managed > 0 && { description })}>
      {drift.length > 0 ? (
        <RecordTable
          rows={drift}
          keyOf={({ kind, name }) => `${kind}/${name}`}
          columns={columns}
          caption={t`Changed by hand`}
        />
      ) : (
        <Empty title={managed > 0 ? t`Everything is as the last apply left it.` : t`No file has been applied.`}>
          {managed === 0 && (
            <span>
              <Trans>
                Download the configuration as a file, keep it in your repository, and apply changes with{' '}
                <code dir="ltr">rollbook apply</code>.
              </Trans>
            </span>
          )}
        </Empty>
      )}
    </Section>
  )
}
