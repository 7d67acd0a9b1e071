/** The texts of the webhook operations in the OpenAPI document. */
export const createDescription = `Creates an endpoint: from now on every event, or those of \`event_types\`, is sent to its \`url\` as defined by
[Standard Webhooks](https://www.standardwebhooks.com/), signed with the \`secret\` that is shown only now. Needs the
permissions {access} and \`events:read\`, because an endpoint receives what the change feed shows. There can
be up to 100 endpoints.`

export const updateDescription = `Changes the given members of an endpoint and leaves the others (JSON Merge Patch, RFC 7396, also sent as
\`application/json\`). Needs the permission {access}, and \`events:read\` for \`url\`, \`event_types\` and
\`active: true\`.

\`active: false\` stops sending; events that happen meanwhile are sent when the endpoint is active again.
\`active: true\` (even if the endpoint is already active) or a new \`url\` immediately sends everything that waits for its next
attempt.`

export const rotateDescription = `Replaces the secret of an endpoint. Deliveries are also signed with the old secret for the configured overlap, one
day by default, so that you can change the receiver meanwhile. Use \`revoke_previous\` if the old secret may have
leaked: it then ends at once.`

export const testDescription = `Sends an event of the type \`webhook.test\` ahead of all waiting events. A moment later the result is at the
\`Location\`.`

export const logDescription = `Lists what was or will be sent to an endpoint, newest first. Delivered events are kept for a week, and deliveries
that were given up (\`dead\`) for a month.`

export const redeliverDescription = `Sends a delivery that arrived or was given up once more, with the same \`webhook-id\` and the current content of the
event, which is empty if the user was erased.`
