/** The texts of the webhook operations in the OpenAPI document. */
import type { Answers } from '../../http/endpoint/operation.ts'
import { dryRun, etag, json, jsonList, nextPage, replayed, text } from '../../http/endpoint/response-parts.ts'

export const createDescription = `Creates an endpoint: from now on every event, or those of \`event_types\`, is sent to its \`url\` as defined by
[Standard Webhooks](https://www.standardwebhooks.com/), signed with the \`secret\` that is shown only now. Needs the
permissions \`webhooks:write\` and \`events:read\`, because an endpoint receives what the change feed shows. There can
be up to 100 endpoints.`

export const updateDescription = `Changes the given members of an endpoint and leaves the others (JSON Merge Patch, RFC 7396, also sent as
\`application/json\`). Needs the permission \`webhooks:write\`, and \`events:read\` for \`url\`, \`event_types\` and
\`active: true\`.

\`active: false\` stops sending; events that happen meanwhile are sent when the endpoint is active again.
\`active: true\` (even if the endpoint is already active) or a new \`url\` immediately sends everything that waits for its next
attempt.`

export const rotateDescription = `Replaces the secret of an endpoint. Deliveries are also signed with the old secret for the configured overlap, one
day by default, so that you can change the receiver meanwhile. Use \`revoke_previous\` if the old secret may have
leaked: it then ends at once. Needs the permission \`webhooks:write\`.`

export const testDescription = `Sends an event of the type \`webhook.test\` ahead of all waiting events. A moment later the result is at the
\`Location\`. Needs the permission \`webhooks:write\`.`

export const logDescription = `Lists what was or will be sent to an endpoint, newest first. Delivered events are kept for a week, and deliveries
that were given up (\`dead\`) for a month. Needs the permission \`webhooks:read\`.`

export const redeliverDescription = `Sends a delivery that arrived or was given up once more, with the same \`webhook-id\` and the current content of the
event, which is empty if the user was erased. Needs the permission \`webhooks:write\`.`

export const created: Answers = {
  201: {
    description: 'The endpoint with its secret, which is shown only now.',
    headers: { ...etag('endpoint'), ...replayed, Location: text('The URL of the new endpoint.') },
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
    description: 'All endpoints.',
    content: jsonList('WebhookEndpoint'),
  },
}

export const found: Answers = {
  200: { description: 'The endpoint.', headers: etag('endpoint'), content: json('WebhookEndpoint') },
  304: { description: 'The endpoint has not changed since this `If-None-Match`.' },
}

export const updated: Answers = {
  200: {
    description: 'The changed endpoint. In a dry run: the endpoint as it would be, without an ETag.',
    headers: { ...etag('endpoint'), ...dryRun },
    content: json('WebhookEndpoint'),
  },
}

export const deleted: Answers = {
  200: {
    description: 'The endpoint was deleted. In a dry run `deleted` is false.',
    headers: dryRun,
    content: json('ConfirmationOfWebhookDeletion'),
  },
}

export const rotated: Answers = {
  200: {
    description: 'The endpoint with its new secret, which is shown only now.',
    headers: { ...etag('endpoint'), ...replayed, ...dryRun },
    content: json('NewWebhookEndpoint'),
  },
}

export const log: Answers = {
  200: {
    description: 'A page of deliveries.',
    headers: nextPage,
    content: jsonList('WebhookDelivery'),
  },
}

export const delivery: Answers = {
  200: { description: 'The delivery.', content: json('WebhookDeliveryWithAttempts') },
}

export const queued: Answers = {
  202: {
    description: 'The delivery was queued.',
    headers: { ...replayed, Location: text('For a test: the URL of its result.') },
    content: json('WebhookDelivery'),
  },
  200: {
    description: 'Dry run: what would be sent.',
    headers: dryRun,
    content: json('WebhookDelivery'),
  },
}
