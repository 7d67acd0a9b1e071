/** A list of records that are found by name: the search, other filters, the order, and the records page by page. */
import { useLingui } from '@lingui/react/macro'
import { Group, NativeSelect } from '@mantine/core'
import { type ComponentProps, type ReactNode, useRef } from 'react'
import { Records, WaitingTable } from '../../ui/records.tsx'
import { SearchField } from '../user-list/search-field.tsx'

type Props<Row, Sort extends string> = Pick<ComponentProps<typeof Records<Row>>, 'source' | 'rows' | 'children'> & {
  search: { q?: string; sort?: Sort }
  /** `undefined` removes a filter. */
  onSearch: (change: { q?: string | undefined; sort?: Sort | undefined }) => void
  sorts: readonly Sort[]
  usualSort: Sort
  labels: Record<Sort, string> & { search: string; problem: string; more: string }
  filters?: ReactNode
  /** Said instead of everything where there are no records at all. */
  nothing: ReactNode | undefined
  /** Said if nothing matches. */
  noMatch: ReactNode
  /** How many match, for screen readers. */
  count: ReactNode
}

export function NamedList<Row, Sort extends string>(props: Props<Row, Sort>) {
  const { search, onSearch, sorts, usualSort, labels, filters, nothing, noMatch, count, source, rows, children } = props
  const { t } = useLingui()
  const list = useRef<HTMLDivElement>(null)
  return (
    <>
      {nothing === undefined && (
        <Group gap={8}>
          <SearchField
            q={search.q}
            label={labels.search}
            placeholder={t`Search by name`}
            isPrefixed={false}
            onDown={() => list.current?.querySelector<HTMLElement>('[data-opens]')?.focus()}
            onSearch={(q) => onSearch({ q })}
          />
          {filters}
          <NativeSelect
            aria-label={t`Order`}
            value={search.sort ?? usualSort}
            data={sorts.map((value) => ({ value, label: labels[value] }))}
            onChange={({ currentTarget: { value } }) => onSearch({ sort: sorts.find((one) => one === value) })}
          />
        </Group>
      )}
      <div ref={list} style={{ display: 'contents' }}>
        <Records
          source={source}
          rows={rows}
          problem={labels.problem}
          waiting={<WaitingTable rows={4} widths={['32%', '14%', '10%', '20%']} />}
          empty={nothing ?? noMatch}
          more={{ label: labels.more }}
        >
          {children}
        </Records>
      </div>
      <p className="visually-hidden" role="status">
        {search.q !== undefined && rows !== undefined && count}
      </p>
    </>
  )
}
