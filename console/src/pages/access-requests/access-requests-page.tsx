/** People who ask for an account, and the decisions about them. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Checkbox, NativeSelect } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useRef, useState } from 'react'
import type { AccessRequest } from 'rollbook/client'
import type { ApiCall } from '../../api/call.ts'
import { useCan } from '../../api/me.ts'
import { accessRequestsQuery, filtersOf, requestsOfAPage } from '../../data/access-requests.ts'
import { type RequestsSearch, requestStates, requestsSearch } from '../../data/search/access-requests.ts'
import { Page } from '../../layout/page.tsx'
import { noneSelected, type Selected, select } from '../../parts/bulk/selection.ts'
import { SearchField } from '../../parts/user-list/search-field.tsx'
import { SelectionFrame } from '../../parts/user-list/selection-bar.tsx'
import { Records, WaitingTable } from '../../ui/records.tsx'
import styles from './access-requests.module.css'
import { RequestRow } from './request-row.tsx'
import { useStateWords } from './words.ts'

const ApproveDialog = lazy(() => import('./approve-dialog.tsx'))
const DeclineDialog = lazy(() => import('./decline-dialog.tsx'))
const route = getRouteApi('/shell/access-requests')

type Deciding = { decision: 'approve' | 'decline'; requests: readonly AccessRequest[] }

export default function AccessRequestsPage() {
  const { t } = useLingui()
  const search: RequestsSearch = route.useSearch()
  const navigate = route.useNavigate()
  const query = useInfiniteQuery(accessRequestsQuery(search))
  const requests = query.data?.pages.flatMap((page) => page.requests)
  const mayDecide = useCan('users:write')
  const [selected, setSelected] = useState<Selected>(noneSelected)
  const [deciding, setDeciding] = useState<Deciding>()
  const list = useRef<HTMLUListElement>(null)
  const waiting = mayDecide ? (requests ?? []).filter(({ state }) => state === 'waiting') : []
  const chosen = waiting.filter(({ request_id }) => selected.ids.has(request_id))
  const show = (next: RequestsSearch) => {
    setSelected(noneSelected)
    void navigate({ search: requestsSearch(next), replace: true })
  }
  const close = () => setDeciding(undefined)
  const afterDecision = () => {
    setSelected(noneSelected)
    // The focus would be lost with the rows.
    document.querySelector('h1')?.focus({ preventScroll: true })
  }
  return (
    <Page
      title={t`Access requests`}
      description={t`People who ask for an account and have confirmed their address. There is no user until you approve.`}
      changes={['users:write']}
      calls={callsFor(search, requests?.[0])}
    >
      <ListTools
        search={search}
        onShow={show}
        onDown={() => list.current?.querySelector<HTMLElement>('input, button')?.focus()}
      />
      {chosen.length > 0 && (
        <SelectionFrame selected={selected} total={chosen.length} onSelect={setSelected}>
          <DecisionButtons onDecide={(decision) => setDeciding({ decision, requests: chosen })} />
        </SelectionFrame>
      )}
      <Records
        source={query}
        rows={requests}
        problem={t`Could not load the requests.`}
        waiting={<WaitingTable rows={3} widths={['30%', '40%', '14%']} />}
        empty={
          <div className={styles.empty} role="status">
            <p>{'q' in search ? <Trans>No request matches.</Trans> : <NoRequests state={search.state} />}</p>
          </div>
        }
        more={{ label: <Trans>Show more requests</Trans> }}
      >
        {(rows) => (
          <>
            {waiting.length > 1 && (
              <Checkbox
                label={t`Select all that are shown`}
                checked={chosen.length === waiting.length}
                indeterminate={chosen.length > 0 && chosen.length < waiting.length}
                onChange={({ currentTarget: { checked } }) =>
                  setSelected(select(noneSelected, checked ? waiting.map(({ request_id }) => request_id) : [], true))
                }
              />
            )}
            <ul ref={list} className={styles.list}>
              {rows.map((request) => (
                <RequestRow
                  key={request.request_id}
                  request={request}
                  isSelected={selected.ids.has(request.request_id)}
                  {...(mayDecide &&
                    request.state === 'waiting' && {
                      onSelect: (isWanted: boolean) => setSelected(select(selected, [request.request_id], isWanted)),
                      onDecide: (decision: Deciding['decision']) => setDeciding({ decision, requests: [request] }),
                    })}
                />
              ))}
            </ul>
          </>
        )}
      </Records>
      <Suspense fallback={null}>
        {deciding?.decision === 'approve' && (
          <ApproveDialog requests={deciding.requests} onClose={close} onDone={afterDecision} />
        )}
        {deciding?.decision === 'decline' && (
          <DeclineDialog requests={deciding.requests} onClose={close} onDone={afterDecision} />
        )}
      </Suspense>
    </Page>
  )
}

function DecisionButtons({ onDecide }: { onDecide: (decision: Deciding['decision']) => void }) {
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={() => onDecide('approve')}>
        <Trans>Approve</Trans>
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => onDecide('decline')}>
        <Trans>Decline</Trans>
      </Button>
    </>
  )
}

type ToolsProps = { search: RequestsSearch; onShow: (search: RequestsSearch) => void; onDown: () => void }

function ListTools({ search, onShow, onDown }: ToolsProps) {
  const { t } = useLingui()
  const states = useStateWords()
  return (
    <div className={styles.tools}>
      <SearchField
        q={search.q}
        onSearch={(q) => onShow({ ...search, ...(q === undefined ? { q: '' } : { q }) })}
        onDown={onDown}
        label={t`Search requests`}
        placeholder={t`Search by name, address or reason`}
        isPrefixed={false}
      />
      <NativeSelect
        aria-label={t`State of the requests`}
        value={search.state ?? 'waiting'}
        data={[
          ...requestStates.map((value) => ({ value, label: states[value] })),
          { value: 'all', label: t`All states` },
        ]}
        onChange={({ currentTarget: { value } }) =>
          onShow({ ...search, state: value as NonNullable<RequestsSearch['state']> })
        }
      />
    </div>
  )
}

function callsFor(search: RequestsSearch, first: AccessRequest | undefined): ApiCall[] {
  const list: ApiCall = { operation: 'GET /access-requests', query: { ...filtersOf(search), limit: requestsOfAPage } }
  if (first === undefined) return [list]
  const path = { request_id: first.request_id }
  return [list, { operation: 'POST /access-requests/{request_id}/decision', path, body: { decision: 'approve' } }]
}

function NoRequests({ state = 'waiting' }: { state: RequestsSearch['state'] | undefined }) {
  return state === 'waiting' ? <Trans>No request is waiting.</Trans> : <Trans>There are no such requests.</Trans>
}
