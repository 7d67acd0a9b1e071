/** The texts of the webhook operations in the OpenAPI document. */
import type { Answers } from '../../http/endpoint/operation.ts'

const json = (name: string) => ({ 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } })
const text = (description: string) => ({ description, schema: { type: 'string' } })
const etag = { ETag: text('A strong validator of the endpoint; send it back as `If-Match`.') }
const dryRun = { 'Dry-Run': text('`true`: nothing was changed.') }
const replayed = { 'Idempotency-Replayed': text('`true`: this is the first answer again.') }

export const createDescription = `Makes an endpoint: from now on every event, or those of \`event_types\`, is sent to its
\`url\` as [Standard Webhooks](https://www.standardwebhooks.com/) have it, signed with the \`secret\` that is shown here
and never again. Needs the permissions \`webhooks:write\` and \`events:read\`: an endpoint is sent what the change feed
shows. There can be 100 endpoints.`

export const updateDescription = `Changes what is given and leaves the rest (JSON Merge Patch, RFC 7396, also sent as
\`application/json\`). Needs the permission \`webhooks:write\`, and \`events:read\` for \`url\`, \`event_types\` and
\`active: true\`.

\`active: false\` stops sending; what happens meanwhile is sent when it is active again. \`active: true\`, also of an
endpoint that is active, and another \`url\` send at once what waits for its next attempt.`

export const rotateDescription = `Replaces the secret of an endpoint. The old one signs as well for the configured
overlap, a day by default, so that the receiver may change over in between. With \`revoke_previous\`, when somebody else
may have it, it ends at once. Needs the permission \`webhooks:write\`.`

export const testDescription = `Sends an event of the type \`webhook.test\`, past everything that waits. What became of it
is at the \`Location\` a moment later. Needs the permission \`webhooks:write\`.`

export const logDescription = `What was sent to an endpoint, or is to be, the newest first. Deliveries that arrived are
kept for a week, those that were given up (\`dead\`) for a month. Needs the permission \`webhooks:read\`.`

export const redeliverDescription = `Sends a delivery that arrived or was given up once more, with the same \`webhook-id\`
and what the event says now: of a person who was erased, nothing. Needs the permission \`webhooks:write\`.`

export const created: Answers = {
  201: {
    description: 'The endpoint with its secret, which is shown here and never again.',
    headers: { ...etag, ...replayed, Location: text('Where the endpoint is from now on.') },
    content: json('NewWebhookEndpoint'),
  },
  200: {
    description: 'Dry run: the endpoint as it would be created, without a secret.',
    headers: dryRun,
    content: json('NewWebhookEndpoint'),
  },
}

export const listed: Answers = {
  200: {
    description: 'Every endpoint.',
    content: {
      'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/WebhookEndpoint' } } },
    },
  },
}

export const found: Answers = {
  200: { description: 'The endpoint.', headers: etag, content: json('WebhookEndpoint') },
  304: { description: 'The endpoint is still as with this `If-None-Match`.' },
}

export const updated: Answers = {
  200: {
    description: 'The endpoint as it is now; in a dry run, as it would be, without an ETag.',
    headers: { ...etag, ...dryRun },
    content: json('WebhookEndpoint'),
  },
}

export const deleted: Answers = {
  200: {
    description: 'The endpoint was deleted; in a dry run `deleted` is false.',
    headers: dryRun,
    content: json('ConfirmationOfWebhookDeletion'),
  },
}

export const rotated: Answers = {
  200: {
    description: 'The endpoint with its new secret, which is shown here and never again.',
    headers: { ...etag, ...replayed, ...dryRun },
    content: json('NewWebhookEndpoint'),
  },
}

export const log: Answers = {
  200: {
    description: 'A page of deliveries.',
    headers: { Link: text('`<…>; rel="next"` leads to the next page, if there is one.') },
    content: {
      'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/WebhookDelivery' } } },
    },
  },
}

export const delivery: Answers = {
  200: { description: 'The delivery.', content: json('WebhookDeliveryWithAttempts') },
}

export const queued: Answers = {
  202: {
    description: 'It is on its way.',
    headers: { ...replayed, Location: text('Of a test: where to see what became of it.') },
    content: json('WebhookDelivery'),
  },
  200: {
    description: 'Dry run: what would be sent.',
    headers: dryRun,
    content: json('WebhookDelivery'),
  },
}
