/** The events to choose from, by subject. A test compares them with those of the service. */
import type { CreateWebhookEndpoint } from 'rollbook/client'

export type EventFilter = NonNullable<CreateWebhookEndpoint['event_types']>[number]

export const eventGroups = {
  user: [
    'user.created',
    'user.updated',
    'user.signed_in',
    'user.expired',
    'user.deleted',
    'user.restored',
    'user.erased',
  ],
  session: ['session.created', 'session.ended'],
  key: ['key.created', 'key.updated', 'key.rotated', 'key.revoked'],
  organization: ['organization.created', 'organization.updated', 'organization.deleted'],
  setup_link: ['setup_link.created', 'setup_link.revoked'],
  group: ['group.created', 'group.updated', 'group.deleted', 'group.member_added', 'group.member_removed'],
  connection: ['connection.created', 'connection.updated', 'connection.deleted'],
  identity: ['identity.linked', 'identity.removed'],
  factor: ['factor.added', 'factor.renamed', 'factor.removed'],
  attribute: ['attribute.created', 'attribute.updated', 'attribute.deleted'],
  role: ['role.created', 'role.updated', 'role.deleted'],
  access_request: [
    'access_request.created',
    'access_request.approved',
    'access_request.declined',
    'access_request.expired',
  ],
  branding: ['branding.updated'],
  review: ['review.created', 'review.updated', 'review.due', 'review.closed'],
} as const satisfies Record<string, readonly EventFilter[]>

export type EventSubject = keyof typeof eventGroups

export function allOf(subject: EventSubject): EventFilter {
  return `${subject}.*`
}

/** Adds or removes an event. `user.*` replaces the single events of its subject. */
export function toggled(chosen: readonly EventFilter[], filter: EventFilter, isOn: boolean): EventFilter[] {
  const rest = chosen.filter((one) => one !== filter)
  if (!isOn) return rest
  const prefix = filter.endsWith('.*') ? filter.slice(0, -1) : undefined
  return inOrder([...rest.filter((one) => prefix === undefined || !one.startsWith(prefix)), filter])
}

export function isEventFilter(text: string): text is EventFilter {
  return order.includes(text)
}

const order: readonly string[] = (Object.keys(eventGroups) as EventSubject[]).flatMap((subject) => [
  allOf(subject),
  ...eventGroups[subject],
])

function inOrder(filters: readonly EventFilter[]): EventFilter[] {
  return filters.toSorted((a, b) => order.indexOf(a) - order.indexOf(b))
}
