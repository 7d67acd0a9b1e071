import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { Attribute } from 'rollbook/client'
import { useCan } from '../../api/me.ts'
import { attributesQuery } from '../../data/attributes.ts'
import { Page } from '../../layout/page.tsx'
import { FileBadge } from '../../parts/managed/managed-by-file.tsx'
import { useShortcut } from '../../shortcuts/shortcuts.ts'
import { Badge } from '../../ui/badge.tsx'
import { Empty } from '../../ui/empty.tsx'
import { IconPlus } from '../../ui/icons.tsx'
import { loadedAhead } from '../../ui/loaded-ahead.tsx'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import records from '../../ui/records.module.css'
import { Records, WaitingTable } from '../../ui/records.tsx'
import { RowAction, RowActions } from '../../ui/row-actions.tsx'
import styles from './attributes.module.css'
import { useTypeNames } from './definition-fields.tsx'

const { Component: CreateAttributeDialog, usePreload: usePreloadCreate } = loadedAhead(
  () => import('./create-attribute-dialog.tsx'),
)
const EditAttributeDialog = lazy(() => import('./edit-attribute-dialog.tsx'))
const DeleteAttributeDialog = lazy(() => import('./delete-attribute-dialog.tsx'))

type Opened = { dialog: 'create' } | { dialog: 'edit' | 'delete'; attribute: Attribute }

/** As many as the service takes. */
const most = 64

export default function AttributesPage() {
  const { t } = useLingui()
  const query = useQuery(attributesQuery)
  const mayWrite = useCan('attributes:write')
  const [opened, setOpened] = useState<Opened | undefined>()
  const close = () => setOpened(undefined)
  usePreloadCreate()
  useShortcut('c', t`Create attribute`, () => setOpened({ dialog: 'create' }), { opensField: true, isOn: mayWrite })
  const isFull = (query.data?.length ?? 0) >= most
  const create = mayWrite && (
    <Button
      leftSection={<IconPlus />}
      disabled={isFull}
      title={isFull ? t`There are already ${most} attributes, which is the maximum.` : undefined}
      onClick={() => setOpened({ dialog: 'create' })}
    >
      <Trans>Create attribute</Trans>
    </Button>
  )
  return (
    <Page
      title={t`Attributes`}
      description={<Trans>Custom fields of users.</Trans>}
      changes={['attributes:write']}
      calls={[{ operation: 'GET /attributes' }]}
      actions={query.data !== undefined && query.data.length > 0 && create}
    >
      <Records
        source={query}
        rows={query.data}
        problem={t`Could not load the attributes.`}
        waiting={<WaitingTable rows={3} widths={['30%', '20%', '20%']} />}
        empty={
          <Empty title={<Trans>There are no attributes yet.</Trans>}>
            <p>
              <Trans>
                For example a department or an employee number. Attributes appear in forms, lists, exports, events and
                tokens.
              </Trans>
            </p>
            {create}
          </Empty>
        }
      >
        {(attributes) => <AttributeTable attributes={attributes} mayWrite={mayWrite} onOpen={setOpened} />}
      </Records>
      <Suspense fallback={null}>
        {opened?.dialog === 'create' && <CreateAttributeDialog known={query.data ?? []} onClose={close} />}
        {opened?.dialog === 'edit' && <EditAttributeDialog attribute={opened.attribute} onClose={close} />}
        {opened?.dialog === 'delete' && <DeleteAttributeDialog attribute={opened.attribute} onClose={close} />}
      </Suspense>
    </Page>
  )
}

type TableProps = { attributes: readonly Attribute[]; mayWrite: boolean; onOpen: (opened: Opened) => void }

function AttributeTable({ attributes, mayWrite, onOpen }: TableProps) {
  const { t } = useLingui()
  const names = useTypeNames()
  const editors = {
    admin: t`Administrators`,
    user: t`Administrators and users themselves`,
    nobody: t`Only identity providers and imports`,
  }
  const columns: Column<Attribute>[] = [
    {
      label: t`Attribute`,
      kind: 'name',
      cell: ({ name, label, managed_by }) => (
        <>
          <span className={records.name} dir="auto">
            {label}
          </span>{' '}
          <FileBadge of={{ managed_by }} />
          <div className={records.under}>
            <code dir="ltr">{name}</code>
          </div>
        </>
      ),
    },
    { label: t`Type`, cell: (attribute) => <Type name={names[attribute.type]} attribute={attribute} /> },
    { label: t`Rules`, cell: (attribute) => <Rules attribute={attribute} /> },
    { label: t`Who may edit the values`, cell: ({ editable_by }) => editors[editable_by] },
    {
      label: t`Actions`,
      kind: 'actions',
      cell: (attribute) =>
        mayWrite && (
          <RowActions>
            <RowAction
              label={t`Edit the attribute ${attribute.label}`}
              onClick={() => onOpen({ dialog: 'edit', attribute })}
            >
              <Trans>Edit</Trans>
            </RowAction>
            <RowAction
              label={t`Delete the attribute ${attribute.label}`}
              tone="fault"
              onClick={() => onOpen({ dialog: 'delete', attribute })}
            >
              <Trans>Delete</Trans>
            </RowAction>
          </RowActions>
        ),
    },
  ]
  return <RecordTable rows={attributes} keyOf={({ name }) => name} columns={columns} />
}

function Type({ name, attribute: { options, minimum, maximum } }: { name: string; attribute: Attribute }) {
  const { t } = useLingui()
  const limits =
    options !== null
      ? options.join(', ')
      : minimum !== null && maximum !== null
        ? t`From ${minimum} to ${maximum}.`
        : ''
  return (
    <div>
      {name}
      {limits !== '' && (
        <div className={records.under}>
          <bdi>{limits}</bdi>
        </div>
      )}
    </div>
  )
}

function Rules({ attribute: { required, unique, searchable, in_token } }: { attribute: Attribute }) {
  const { t } = useLingui()
  const words = [
    required && t`Required`,
    unique && t`Unique`,
    searchable && t`Searchable`,
    in_token && t`In access tokens`,
  ].filter((word) => word !== false)
  if (words.length === 0) return <span className={records.under}>{t`None`}</span>
  return (
    <div className={styles.rules}>
      {words.map((word) => (
        <Badge key={word}>{word}</Badge>
      ))}
    </div>
  )
}
