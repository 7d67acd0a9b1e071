/** The texts of the operations on groups in the OpenAPI document. */
import { listed as usersListed } from '../users-list/service.ts'

export const listDescription = `Lists groups, by name. \`q\` finds words of the name, \`name\` and \`external_id\` find one group. A \`Link\` header with
\`rel="next"\` links to the next page.`

export const createDescription = `Creates a group without members. Needs the permission {access}, and every permission of the \`role\`.

Members hold the \`role\` in addition to their own, wherever a role counts. The header \`Remote-Groups\` names the groups of a
user next to the roles, so a group that is named like a role also needs every permission of that role.`

export const getDescription = 'Returns one group.'

export const updateDescription = `Changes the given members of a group and leaves the others (JSON Merge Patch, RFC 7396, also sent as
\`application/json\`). \`role: null\` takes the role from all members. Needs the permission {access}, every permission of the
role before and after, and for another \`role\` or \`name\` also every permission of each member. The last active administrator
keeps this role.`

export const deleteDescription = `Deletes a group. Its members stay users, but lose the group and its role. Needs the permission {access}, every
permission of the group's role and of each member. The last active administrator keeps this role.`

export const membersDescription = `Lists the users in a group, with the filters, sorting, paging and formats of \`GET /users\`. Needs the permissions
{access} and \`users:read\`.`

export const changeMembersDescription = `Adds and removes up to 1,000 users in one change, and returns a result for each id. A user whom you may not change is
\`refused\`, and the others are changed. \`expires_at\` is the end date of all memberships of \`add\`, also of users who are members already. To see the results first, use \`dry_run\`. Needs the permission {access}, every
permission of the group's role, and every permission of the users.`

export const addDescription = `Adds a user to a group, until \`expires_at\` if it is sent. Of a member it changes the end date; without a body it changes
nothing. The last active administrator cannot get an end date for the membership that makes them one. Needs the permission {access}, every
permission of the group's role, and every permission of the user.`

export const removeDescription = `Removes a user from a group. If the user is no member, nothing changes. Needs the permission {access}, every
permission of the group's role, and every permission of the user.`

export const ofUserDescription = 'Lists the groups of a user, by name.'

/** The docs page makes the name unique, so that the example can be sent as it stands. */
export const createExample = { name: 'Support', description: 'Answers customers', role: 'user' }

export const members = {
  ...usersListed,
  200: { ...usersListed[200], description: 'Every member that matches.' },
}
