/** OpenAPI texts of the access report. */
import { json } from '../../http/endpoint/response-parts.ts'

export const listDescription = `Returns who has which permissions, and why: a row for each user and each source of permissions, which are the own role and
the role of each group. The role \`user\` and groups without a role give none. The report is one consistent snapshot by \`user_id\`; it is
streamed, however long it is, and if it cannot be completed, the connection is aborted. Filters are those of \`GET /users\`.
\`Accept: text/csv\` and \`Accept: application/x-ndjson\` return the same rows in those formats. \`since\` and \`granted_by\` come from the
audit log and are null for what it does not have any more. Needs the permissions {access} and \`users:read\`.`

const rows = { type: 'string', description: 'The same members as in JSON.' }

export const listAnswers = {
  200: {
    description: 'A row for each user and source of permissions.',
    content: {
      ...json('AccessSource[]'),
      'application/x-ndjson': { schema: { ...rows, description: 'One row in JSON per line.' } },
      'text/csv': { schema: { ...rows, description: 'A header row, then the rows.' } },
    },
  },
}
