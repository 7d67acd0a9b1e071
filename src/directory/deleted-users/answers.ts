/** What the OpenAPI document says of deleting and restoring users. */
import type { Answers } from '../../http/endpoint/operation.ts'
import { databaseAccounts, dryRun } from '../users/answers.ts'

export const deleteDescription = `Deletes a user of the web UI. Needs the permission \`users:write\`. The last active
administrator cannot be deleted.

The user is refused everywhere at once, and the username, e-mail address and external id are free. Until
\`restorable_until\` the deletion can be undone; then everything personal is erased. With \`purge=true\` that happens at
once, also to somebody who was deleted before.
${databaseAccounts.replace('make it', 'remove it')}

    dropuser ada

A database account of the same name is left untouched by this operation.`

export const deleted: Answers = {
  200: {
    description: 'The user was deleted; in a dry run `deleted` is false, and the rest as it would be.',
    headers: dryRun,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/ConfirmationOfDeletion' } } },
  },
}

export const listDescription = `Users who were deleted and can be restored, the last to be deleted first. Needs the permission
\`users:read\`.

With each of them it says until when \`POST /users/{user_id}/restore\` brings them back.`

export const listed: Answers = {
  200: {
    description: 'A page of deleted users.',
    headers: {
      Link: {
        description: '`<…>; rel="next"` leads to the next page, if there is one.',
        schema: { type: 'string' },
      },
    },
    content: {
      'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/DeletedUser' } } },
    },
  },
}

export const restoreDescription = `Brings a deleted user back: the same id, role and password. Needs the permission \`users:write\`, and no
fewer permissions than the user's role has.

Sessions and access tokens from before the deletion have ended and stay so. When somebody else has the username, the
e-mail address or the external id by now, nothing is changed (409).`

export { updated as restored } from '../users/answers.ts'
