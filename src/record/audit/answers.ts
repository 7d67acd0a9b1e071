/** The texts of the audit operations in the OpenAPI document. */
import type { Answers } from '../../http/endpoint/operation.ts'

const order = `Newest first, a page at a time. As NDJSON (\`Accept: application/x-ndjson\`) everything that matches, oldest first,
in one stream. Filters combine with AND.`

export const listDescription = `Who did what to whom, when and from where: one record for each change, sign-in and refused
authorization.

${order} Needs the permission \`audit:read\`.`

export const listOfUserDescription = `What was done to a user, also to one who is deleted or erased by now.

${order} Needs the permission \`audit:read\`.`

export const checkpointDescription = `Where the chain of records ends now. Kept elsewhere, it shows later, with
\`rollbook audit verify --checkpoint\`, that nothing was removed or written anew since. Needs the permission \`audit:read\`.`

export const listed: Answers = {
  200: {
    description: 'The records that match.',
    headers: {
      Link: { description: '`<…>; rel="next"` leads to the next page, if there is one.', schema: { type: 'string' } },
    },
    content: {
      'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/AuditRecord' } } },
      'application/x-ndjson': { schema: { type: 'string', description: 'One record in JSON on each line.' } },
    },
  },
}

export const found: Answers = {
  200: {
    description: 'The end of the chain.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/AuditCheckpoint' } } },
  },
}
