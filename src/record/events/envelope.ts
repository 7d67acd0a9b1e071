/** An event as others receive it: the CloudEvents 1.0 envelope, the same in the feed and in webhooks. */
import type { EventRow } from '../journal/service.ts'

export type CloudEvent = {
  specversion: '1.0'
  id: string
  source: string
  type: string
  subject: string
  time: string
  datacontenttype: 'application/json'
  dataschema: string
  sequence: string
  data: Record<string, unknown>
}

/** The subject of an event, by the noun in its type. A new form of `data` gets a new name, and the old one stays. */
const nouns: Record<string, { schema: string; idMember: string }> = {
  user: { schema: 'UserEventV1', idMember: 'user_id' },
  organization: { schema: 'OrganizationEventV1', idMember: 'organization_id' },
  setup_link: { schema: 'SetupLinkEventV1', idMember: 'setup_link_id' },
  group: { schema: 'GroupEventV1', idMember: 'group_id' },
  factor: { schema: 'FactorEventV1', idMember: 'factor_id' },
  connection: { schema: 'ConnectionEventV1', idMember: 'connection_id' },
  identity: { schema: 'IdentityEventV1', idMember: 'identity_id' },
  attribute: { schema: 'AttributeEventV1', idMember: 'name' },
  session: { schema: 'SessionEventV1', idMember: 'session_id' },
  key: { schema: 'KeyEventV1', idMember: 'key_id' },
  role: { schema: 'RoleEventV1', idMember: 'role' },
  access_request: { schema: 'AccessRequestEventV1', idMember: 'request_id' },
  review: { schema: 'ReviewEventV1', idMember: 'review_id' },
  branding: { schema: 'BrandingEventV1', idMember: 'name' },
}

/** Fixed width, because CloudEvents' `sequence` is compared as text. */
const sequenceDigits = 16

/** `source` is the base of this service as an absolute URL, under which the schemas are served too. */
export function toCloudEvent(row: EventRow, source: string): CloudEvent {
  const noun = row.type.split('.', 1)[0] ?? ''
  const { schema, idMember } = nouns[noun] ?? { schema: 'EventV1', idMember: 'id' }
  return {
    specversion: '1.0',
    id: row.event_id,
    source,
    type: row.type,
    subject: row.subject,
    time: row.occurred_at,
    datacontenttype: 'application/json',
    dataschema: `${source}/openapi.json#/components/schemas/${schema}`,
    sequence: String(row.seq).padStart(sequenceDigits, '0'),
    data: row.data === null ? erased(row, idMember) : JSON.parse(row.data),
  }
}

/** After an erasure only this is left: that something happened, and to which id. */
function erased({ subject, owner_id }: EventRow, idMember: string): Record<string, unknown> {
  // The subject of a membership is the ids of its group and its user, with a colon between.
  const [id = subject] = subject.split(':', 1)
  return { [idMember]: id, ...(owner_id !== subject && { user_id: owner_id }), erased: true }
}
