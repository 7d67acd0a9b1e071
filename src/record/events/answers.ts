/** The texts of the change feed in the OpenAPI document. */
import { json, text } from '../../http/endpoint/response-parts.ts'

export const listDescription = `Returns what happened to users, sessions, keys and roles, in the order of commits. A client that reads all events
from the beginning has the same users, sessions, keys and roles as Rollbook. Needs the permission {access}.

As JSON: a page of events, and a \`cursor\` to send as \`after\` with the next request. If \`has_more\` is true, more
events are available now. With \`type\`, each response covers at most a few thousand events of all types, so it can be
empty although the cursor has moved. With \`wait\`, a request without new events waits for up to that many seconds and
responds as soon as an event arrives.

\`Accept: application/cloudevents-batch+json\`: only the events, as a CloudEvents batch; the next page is in \`Link\`.

\`Accept: text/event-stream\`: all existing events, then each new event as soon as it is committed, until you
disconnect (use curl, for example; the docs page would wait for the end). \`id\` is a cursor that begins with the
start of the \`feed_id\`, \`event\` is the type, and \`data\` the event in its envelope. If you reconnect with
\`Last-Event-ID\`, you miss no event.

Old events are removed when later ones replace them, and events about ended things are removed too. A cursor that is
older than removed events gets 410 \`cursor_expired\`, and a cursor of another history 410 \`cursor_unknown\`: start
over without \`after\`.`

const headers = {
  'Feed-Id': text('Identifies this history; `feed_id` in JSON.'),
  Link: text('With `rel="next"`: the page after this one, for now or later.'),
}

export const listed = {
  200: {
    description: 'Events, oldest first.',
    headers,
    content: {
      ...json('EventPage'),
      'application/cloudevents-batch+json': {
        schema: { type: 'array', items: { $ref: '#/components/schemas/CloudEvent' } },
      },
      'text/event-stream': { schema: { type: 'string' } },
    },
  },
}
