/** OpenAPI texts for deleting and restoring users. */
import { databaseAccounts } from '../../directory/users/service.ts'

export const deleteDescription = `Deletes a user of the web UI. Needs the permission {access}. The last active
administrator cannot be deleted.

The user is refused everywhere at once, and the username, email address and external id become free. Until
\`restorable_until\` the deletion can be undone; after that, all personal data is erased. With \`purge=true\` it is erased
immediately; this also works for users who were deleted before.
${databaseAccounts('If the user has one there too, drop it')}

    dropuser ada

This operation does not change a database account with the same name.`

export const listDescription = `Lists deleted users who can be restored, the last deleted first, or by username. Needs the permission
{access}. Filters are combined with AND.

\`restorable_until\` says until when \`POST /users/{user_id}/restore\` can restore each of them;
\`POST /users/bulk\` restores up to 1,000 at a time.`

export const restoreDescription = `Restores a deleted user with the same id, role and password. Needs the permission {access} and every permission
of the user's role and of the groups to which they return.

Sessions and access tokens from before the deletion stay ended. If another user now has the username, email address
or external id, nothing is changed (409).`
