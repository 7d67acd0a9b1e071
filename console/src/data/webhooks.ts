import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { WebhookDelivery } from 'rollbook/client'
import { api } from '../api/client.ts'

export type DeliveryStatus = WebhookDelivery['status']

/** The newest first. */
export const endpointsQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: async ({ signal }) => (await api.webhooks.list({ signal })).reverse(),
  refetchInterval: 10_000,
})

export const endpointQuery = (endpointId: string) =>
  queryOptions({
    queryKey: ['webhooks', endpointId],
    queryFn: ({ signal }) => api.webhooks.get(endpointId, { signal }),
    // The service finds out meanwhile whether deliveries fail.
    refetchInterval: 10_000,
  })

export const lastDeliveryQuery = (endpointId: string) =>
  queryOptions({
    queryKey: ['webhooks', endpointId, 'last'],
    queryFn: async ({ signal }) =>
      (await api.webhooks.deliveryPage(endpointId, { limit: 1 }, { signal })).deliveries[0] ?? null,
  })

/** How often to poll while deliveries are pending. */
const watchMs = 2500
export const pageSize = 25

export const deliveriesQuery = (endpointId: string, status: DeliveryStatus | undefined) =>
  infiniteQueryOptions({
    queryKey: ['webhooks', endpointId, 'deliveries', status ?? 'all'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.webhooks.deliveryPage(
        endpointId,
        {
          limit: pageSize,
          ...(status !== undefined && { status }),
          ...(pageParam !== undefined && { cursor: pageParam }),
        },
        { signal },
      ),
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.length === 1 && data.pages[0]?.deliveries.some(isUnderWay) ? watchMs : false,
  })

export const deliveryQuery = (endpointId: string, { delivery_id, attempt_count, status }: WebhookDelivery) =>
  queryOptions({
    // The values from the list show whether there is something new to read.
    queryKey: ['webhooks', endpointId, 'delivery', delivery_id, attempt_count, status],
    queryFn: ({ signal }) => api.webhooks.delivery(endpointId, delivery_id, { signal }),
  })

function isUnderWay({ status }: WebhookDelivery): boolean {
  return status === 'due' || status === 'queued'
}
