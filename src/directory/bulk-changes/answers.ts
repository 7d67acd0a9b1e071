/** The texts of the bulk changes in the OpenAPI document. */
import type { Answers } from '../../http/endpoint/operation.ts'

export const description = `Disables, enables, gives a role to, signs out, deletes or restores many users: those of
\`user_ids\`, up to 1,000, or all who match \`filter\`, except those of \`except\`. Needs the permission \`users:write\`; a
filter also \`users:read\`, and \`end_sessions\` also \`sessions:write\`.

The answer comes line by line while the work goes on (NDJSON). The first line says how many users it is about, the last
one how many were changed; between them is a line for each user. \`rows=refused\` leaves out all but those who are refused.
After a second without another line there is one of \`type\` \`progress\`. An answer without the last line was cut: what is
done stays done, and the same request again does the rest.

Each user is changed by the rules of the change of one: a user who may not be changed so is \`refused\` with the code that
it would have there, and keeps no other back. One active administrator remains. Whoever asks comes last, if they are meant.
Some 200 users at a time are changed together; each has an audit record and an event of their own. A user who matches no
more when their turn comes, because somebody else has changed them, is left out, and so is who is created meanwhile.
When the connection ends, the work stops.

With an \`Idempotency-Key\` a repetition is answered with the first and the last line of the first answer.`

/** Can be sent unchanged: it matches few users, and its effect can be undone. */
export const example = { action: 'deactivate', filter: { role: 'user', last_login_before: '2020-01-01T00:00:00Z' } }

export const changed: Answers = {
  200: {
    description: 'A line in JSON for the beginning, for each user, and for the end.',
    headers: {
      'Dry-Run': { description: '`true`: nothing was changed.', schema: { type: 'string' } },
      'Idempotency-Replayed': {
        description: '`true`: this had been done before; here are its first and last line.',
        schema: { type: 'string' },
      },
    },
    content: { 'application/x-ndjson': { schema: { $ref: '#/components/schemas/BulkLine' } } },
  },
}
