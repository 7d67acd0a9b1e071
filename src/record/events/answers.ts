/** The texts of the change feed in the OpenAPI document. */
import type { Answers } from '../../http/endpoint/operation.ts'

export const listDescription = `What happened to users, sessions, keys and roles, in the order of commits. Whoever takes all of it from the
beginning has the same users, sessions, keys and roles. Needs the permission \`events:read\`.

As JSON: a page of events, and a \`cursor\` for \`after\` of the next request; \`has_more\` says to ask it at once. With \`type\`
no more than some thousand events are looked at for one answer: it may have none of them, and a cursor that has moved.
With \`wait\` an answer that there is nothing new comes only when so many seconds have passed, and news comes at once.

\`Accept: application/cloudevents-batch+json\`: the events alone, as CloudEvents has batches; the next page is in \`Link\`.

\`Accept: text/event-stream\`: everything that is there, and then each event as soon as it is committed, for as long as you
listen (with curl, for instance; a page of documentation waits for the end). The \`id\` is a cursor with the beginning of
the \`feed_id\`, \`event\` the type, and \`data\` the event in its envelope. Who comes again with \`Last-Event-ID\` misses nothing.

Events of long ago are left out when later ones say more, and with them what has ended. A cursor among those is answered
410 \`cursor_expired\`, and one of another history 410 \`cursor_unknown\`: begin again without \`after\`.`

const headers = {
  'Feed-Id': { description: 'Names this history; as `feed_id` in JSON.', schema: { type: 'string' } },
  Link: { description: 'With `rel="next"`: what comes after this page, now or later.', schema: { type: 'string' } },
}

export const listed: Answers = {
  200: {
    description: 'Events, the oldest first.',
    headers,
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/EventPage' } },
      'application/cloudevents-batch+json': {
        schema: { type: 'array', items: { $ref: '#/components/schemas/CloudEvent' } },
      },
      'text/event-stream': { schema: { type: 'string' } },
    },
  },
}
