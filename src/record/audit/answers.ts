/** The texts of the audit operations in the OpenAPI document. */
import { json, nextPage } from '../../http/endpoint/response-parts.ts'

const order = `Records come newest first, in pages. As NDJSON (\`Accept: application/x-ndjson\`) all matching records come oldest first
in one stream. Filters are combined with AND.`

export const listDescription = `Lists who changed what, when and from where: one record for each change, sign-in and refused
authorization.

${order}`

export const listOfUserDescription = `Lists what was done to a user, even if the user is deleted or erased.

${order}`

export const checkpointDescription = `Returns the current end of the chain of records. Store it elsewhere: later
\`rollbook audit verify --checkpoint\` can prove with it that no record was removed or rewritten since.`

export const listed = {
  200: {
    description: 'The records that match.',
    headers: nextPage,
    content: {
      ...json('AuditRecord[]'),
      'application/x-ndjson': { schema: { type: 'string', description: 'One record in JSON per line.' } },
    },
  },
}
