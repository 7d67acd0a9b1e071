/** OpenAPI texts of access reviews. */
import { json, text } from '../../http/endpoint/response-parts.ts'

export const listDescription = `Lists the access reviews, the newest first. Needs the permission {access}.`

export const createDescription = `Begins an access review: freezes the rows of the access report (\`GET /access\`) that \`filter\` finds, at most 100,000.
Reviewers then decide row by row who keeps which access. If \`reviewers\` are named, only they decide. Needs the permission {access}, and
\`audit:read\` and \`users:read\`, as the report does.`

export const getDescription = `Returns a review with the number of rows in each state. Needs the permission {access}.`

export const updateDescription = `Changes an open review. \`"state": "closed"\` closes it, once, and seals it: its rows can no longer be decided, and the digest of
all of them is in the audit record, so \`rollbook audit verify\` finds a later change. Needs the permission {access}.`

export const decideDescription = `Decides rows of an open review. \`remove\` takes the role or the membership away at once, by the rules of any such change; \`keep\` of a
row that was removed gives it back. A row whose access has changed since becomes \`changed_meanwhile\`. Reviewers cannot decide about their own
access, or about a user with permissions that they lack. What one row is refused for is in its \`code\`, and changes nothing of the
others. Needs the permission {access}.`

export const rowsDescription = `Returns the rows of a review with their decisions, in the order of the access report. Without \`limit\` all are streamed; with it, a
\`Link\` leads to the next page. \`Accept: text/csv\`, \`application/x-ndjson\` and \`text/html\` (a page to print, for auditors) return the
same. Needs the permission {access}.`

const rows = { type: 'string', description: 'The same rows.' }

export const rowsAnswers = {
  200: {
    description: 'The rows.',
    headers: { Link: text('With `limit`: `<…>; rel="next"` links to the next page, if there is one.') },
    content: {
      ...json('ReviewRow[]'),
      'application/x-ndjson': { schema: { ...rows, description: 'One row in JSON per line.' } },
      'text/csv': { schema: { ...rows, description: 'A header row, then the rows.' } },
      'text/html': {
        schema: { ...rows, description: 'A page with scope, dates, counts, every decision and the digest.' },
      },
    },
  },
}
