import { infiniteQueryOptions, queryOptions, useQuery } from '@tanstack/react-query'
import type { Mail, PreviewMail } from 'rollbook/client'
import { api } from '../api/client.ts'
import { useCanEverywhere } from '../api/me.ts'
import type { MailsSearch } from './search/mails.ts'

export const mailsOfAPage = 50
/** How often to poll while messages wait. */
const watchMs = 2500

/** The newest first. */
export const mailsQuery = (search: MailsSearch) =>
  infiniteQueryOptions({
    queryKey: ['mails', 'list', search],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.mails.page(
        { ...search, limit: mailsOfAPage, ...(pageParam !== undefined && { cursor: pageParam }) },
        { signal },
      ),
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.length === 1 && data.pages[0]?.mails.some(isWaiting) ? watchMs : false,
  })

export const mailServerQuery = queryOptions({
  queryKey: ['mails', 'server'],
  queryFn: ({ signal }) => api.mails.server({ signal }),
  refetchInterval: 10_000,
})

/** The mail server, for viewers who may read it: it is of the whole service. */
export function useMailServer() {
  return useQuery({ ...mailServerQuery, enabled: useCanEverywhere('mails:read') })
}

export const previewQuery = (wanted: PreviewMail) =>
  queryOptions({
    queryKey: ['mails', 'preview', wanted],
    queryFn: ({ signal }) => api.mails.preview(wanted, { signal }),
  })

function isWaiting({ status }: Mail): boolean {
  return status === 'waiting'
}
