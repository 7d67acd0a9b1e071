import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, NativeSelect } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { useCan, useCanEverywhere } from '../../api/me.ts'
import { mailsOfAPage, mailsQuery, useMailServer } from '../../data/mails.ts'
import { type MailsSearch, mailKinds, mailStatuses, mailsSearch } from '../../data/search/mails.ts'
import { Page } from '../../layout/page.tsx'
import { isOffered } from '../../lib/features.ts'
import { useShortcut } from '../../shortcuts/shortcuts.ts'
import { loadedAhead } from '../../ui/loaded-ahead.tsx'
import { Records, WaitingTable } from '../../ui/records.tsx'
import { HeldNotice } from './held-notice.tsx'
import { MailTable } from './mail-table.tsx'
import styles from './mails.module.css'
import { ServerNotice } from './server-notice.tsx'
import { useKindWords, useStatusWords } from './words.ts'

const { Component: PreviewDialog, usePreload: usePreloadPreview } = loadedAhead(() => import('./preview-dialog.tsx'))
const { Component: TestDialog, usePreload: usePreloadTest } = loadedAhead(() => import('./test-dialog.tsx'))

const route = getRouteApi('/shell/mails')

export default function MailsPage() {
  const { t } = useLingui()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useInfiniteQuery(mailsQuery(search))
  const { data: server } = useMailServer()
  const mails = query.data?.pages.flatMap((page) => page.mails)
  const isOfAll = useCanEverywhere('mails:read')
  const mayWrite = useCan('mails:write')
  const isConfigured = server?.configured === true
  const [open, setOpen] = useState<'preview' | 'test' | undefined>()
  usePreloadPreview()
  usePreloadTest()
  useShortcut('c', t`Send test message`, () => setOpen('test'), { opensField: true, isOn: mayWrite && isConfigured })
  const change = (next: { [Name in keyof MailsSearch]: MailsSearch[Name] | undefined }) =>
    void navigate({ search: (now) => mailsSearch({ ...now, ...next }), replace: true, resetScroll: false })
  const isFiltered = Object.keys(search).length > 0
  return (
    <Page
      title={t`Messages`}
      description={<Trans>Emails to users. Content and links are not stored.</Trans>}
      changes={['mails:write']}
      calls={[
        { operation: 'GET /mails', query: { ...search, limit: mailsOfAPage } },
        ...(isOfAll ? [{ operation: 'GET /mails/server' } as const] : []),
      ]}
      actions={
        <>
          {isOfAll && (
            <Button variant="default" disabled={server === undefined} onClick={() => setOpen('preview')}>
              <Trans>Preview</Trans>
            </Button>
          )}
          {mayWrite && (
            <Button
              disabled={!isConfigured}
              title={server?.configured === false ? t`No mail server is set up.` : undefined}
              onClick={() => setOpen('test')}
            >
              <Trans>Send test message</Trans>
            </Button>
          )}
        </>
      }
    >
      <ServerNotice />
      <HeldNotice />
      <Group gap={8} align="end">
        <Filters search={search} onChange={change} />
        {isFiltered && (
          <Button
            variant="subtle"
            color="var(--rb-accent)"
            onClick={() => void navigate({ search: {}, replace: true })}
          >
            <Trans>Remove filters</Trans>
          </Button>
        )}
      </Group>
      <Records
        source={query}
        rows={mails}
        problem={t`Could not load the messages.`}
        waiting={<WaitingTable rows={4} widths={['22%', '30%', '14%', '12%']} />}
        empty={
          <div className={styles.empty} role="status">
            <p>
              {isFiltered ? <Trans>No message matches.</Trans> : <Trans>No messages within the last 30 days.</Trans>}
            </p>
          </div>
        }
        more={{ label: <Trans>Show more messages</Trans> }}
      >
        {(rows) => <MailTable mails={rows} />}
      </Records>
      <Suspense fallback={null}>
        {open === 'preview' && server !== undefined && (
          <PreviewDialog locales={server.locales} onClose={() => setOpen(undefined)} />
        )}
        {open === 'test' && server !== undefined && (
          <TestDialog locales={server.locales} onClose={() => setOpen(undefined)} />
        )}
      </Suspense>
    </Page>
  )
}

type FilterProps = {
  search: MailsSearch
  onChange: (next: { [Name in keyof MailsSearch]: MailsSearch[Name] | undefined }) => void
}

function Filters({ search, onChange }: FilterProps) {
  const { t } = useLingui()
  const kinds = useKindWords()
  const states = useStatusWords()
  return (
    <>
      <NativeSelect
        aria-label={t`State of the messages`}
        value={search.status ?? ''}
        data={[{ value: '', label: t`All states` }, ...mailStatuses.map((value) => ({ value, label: states[value] }))]}
        onChange={({ currentTarget: { value } }) => onChange({ status: mailStatuses.find((one) => one === value) })}
      />
      <NativeSelect
        aria-label={t`Kind of message`}
        value={search.kind ?? ''}
        data={[
          { value: '', label: t`All messages` },
          ...mailKinds.filter((one) => isOffered(one)).map((value) => ({ value, label: kinds[value] })),
        ]}
        onChange={({ currentTarget: { value } }) => onChange({ kind: mailKinds.find((one) => one === value) })}
      />
    </>
  )
}
