/** The texts of the bulk changes in the OpenAPI document. */
import { dryRun, text } from '../../http/endpoint/response-parts.ts'

export const description = `Disables, enables, assigns a role to, sets attributes or the language of, signs out, deletes, restores or invites many users, or adds them to a group or removes them from one: those in \`user_ids\` (up to 1,000),
or all that match \`filter\` except those in \`except\`. Needs the permission {access}; a filter also needs
\`users:read\`, \`end_sessions\` also needs \`sessions:write\`, and \`add_to_group\` and \`remove_from_group\` also need
\`groups:write\`.

The response is NDJSON and arrives while the change is running. The first line says how many users are affected, the
last line how many were changed; between them is one line for each user. With \`rows=refused\` only refused users have
a line. When no other line is sent for a second, a line of \`type\` \`progress\` follows. A response without the last
line was cut off: what is done stays done, and the same request does the rest.

The rules are those of a change to a single user. A user who may not be changed is \`refused\` with the code that a
single change would return; the other users are not affected. One active administrator always remains. If you are
one of the users, you come last. About 200 users are changed in one commit; each has an audit record and an event. A
user who no longer matches when their turn comes is left out, and so is a user who is created meanwhile. If the
connection ends, the work stops.

\`invite\` sends each user without a password a link with which they choose one. Users who have an invitation that still
works are \`unchanged\`, unless \`resend\` is true, so that a request that was cut off can be repeated. If no message is sent,
because there is no mail server, the user has no address, or \`send\` is false, the line of the user has the link as
\`url\`. Service accounts are \`refused\`; the filter \`"kind": "person"\` leaves them out.

\`set_attribute\` gives all users the same values of custom attributes, \`set_locale\` the same language, \`set_expires_at\` the same end date, and \`set_organization\` moves
them to an organization. The rules
of definitions hold: a value that no user may have is refused with 422 before the first change, and so is a value of a \`unique\`
attribute, which only one user can have, unless \`user_ids\` names one user. The line of a changed user has the former values in \`before\`.

If you repeat a request with the same \`Idempotency-Key\`, you receive the first and the last line of the first
response.`

/** Can be sent unchanged: it matches few users, and its effect can be undone. */
export const example = { action: 'deactivate', filter: { role: 'user', last_login_before: '2020-01-01T00:00:00Z' } }

export const changed = {
  200: {
    description: 'One JSON line for the beginning, for each user, and for the end.',
    headers: {
      ...dryRun,
      'Idempotency-Replayed': text(
        '`true`: this is the response to an earlier request, reduced to its first and last line.',
      ),
    },
    content: { 'application/x-ndjson': { schema: { $ref: '#/components/schemas/BulkLine' } } },
  },
}
