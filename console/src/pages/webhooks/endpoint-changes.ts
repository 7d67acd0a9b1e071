/** The changes in the form of an endpoint. */
import type { UpdateWebhookEndpoint, WebhookEndpoint } from 'rollbook/client'
import type { EventFilter } from './event-groups.ts'

export type EndpointValues = {
  url: string
  description: string
  /** Every event, including those of later releases. */
  isEverything: boolean
  filters: EventFilter[]
}

export function bodyOf({ url, description, isEverything, filters }: EndpointValues) {
  return { url, description, event_types: isEverything ? null : filters }
}

/** Returns only what differs. */
export function changesOf(values: EndpointValues, before: WebhookEndpoint): UpdateWebhookEndpoint {
  const body = bodyOf(values)
  return Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof body]),
    ),
  )
}

export type Health = 'active' | 'failing' | 'off' | 'off_failing' | 'off_gone' | 'off_secret_lost'

export function healthOf({ state, disabled_reason }: WebhookEndpoint): Health {
  if (state !== 'disabled') return state
  if (disabled_reason === 'failing') return 'off_failing'
  if (disabled_reason === 'secret_lost') return 'off_secret_lost'
  return disabled_reason === 'gone' ? 'off_gone' : 'off'
}
