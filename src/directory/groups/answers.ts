/** The texts of the operations on groups in the OpenAPI document. */
import type { Answers } from '../../http/endpoint/operation.ts'
import { dryRun, etag, json, jsonList, nextPage, replayed, text } from '../../http/endpoint/response-parts.ts'
import { listed as usersListed } from '../users-list/service.ts'

const list = jsonList('Group')

export const listDescription = `Lists groups, by name. \`q\` finds a part of the name, \`name\` and \`external_id\` find one group. A \`Link\` header with
\`rel="next"\` links to the next page. Needs the permission \`groups:read\`.`

export const createDescription = `Creates a group without members. Needs the permission \`groups:write\`, and every permission of the \`role\`.

Members hold the \`role\` in addition to their own, wherever a role counts. The header \`Remote-Groups\` names the groups of a
user next to the roles, so a group that is named like a role also needs every permission of that role.`

export const getDescription = 'Returns one group. Needs the permission `groups:read`.'

export const updateDescription = `Changes the given members of a group and leaves the others (JSON Merge Patch, RFC 7396, also sent as
\`application/json\`). \`role: null\` takes the role from all members. Needs the permission \`groups:write\`, every permission of the
role before and after, and for another \`role\` or \`name\` also every permission of each member. The last active administrator
keeps this role.`

export const deleteDescription = `Deletes a group. Its members stay users, but lose the group and its role. Needs the permission \`groups:write\`, every
permission of the group's role and of each member. The last active administrator keeps this role.`

export const membersDescription = `Lists the users in a group, with the filters, sorting, paging and formats of \`GET /users\`. Needs the permissions
\`groups:read\` and \`users:read\`.`

export const changeMembersDescription = `Adds and removes up to 1,000 users in one change, and returns a result for each id. A user whom you may not change is
\`refused\`, and the others are changed. To see the results first, use \`dry_run\`. Needs the permission \`groups:write\`, every
permission of the group's role, and every permission of the users.`

export const addDescription = `Adds a user to a group. If the user is a member already, nothing changes. Needs the permission \`groups:write\`, every
permission of the group's role, and every permission of the user.`

export const removeDescription = `Removes a user from a group. If the user is no member, nothing changes. Needs the permission \`groups:write\`, every
permission of the group's role, and every permission of the user.`

export const ofUserDescription = 'Lists the groups of a user, by name. Needs the permission `groups:read`.'

/** The docs page makes the name unique, so that the example can be sent as it stands. */
export const createExample = { name: 'Support', description: 'Answers customers', role: 'user' }

export const listed: Answers = {
  200: {
    description: 'A page of groups.',
    headers: nextPage,
    content: list,
  },
}

export const created: Answers = {
  201: {
    description: 'The group was created.',
    headers: { ...etag('group'), ...replayed, Location: text('The URL of the new group.') },
    content: json('Group'),
  },
  200: { description: 'Dry run: the group as it would be created.', headers: dryRun, content: json('Group') },
}

export const found: Answers = {
  200: { description: 'The group.', headers: etag('group'), content: json('Group') },
  304: { description: 'The group has not changed since this `If-None-Match`.' },
}

export const updated: Answers = {
  200: {
    description: 'The changed group. In a dry run: the group as it would be, without an ETag.',
    headers: { ...etag('group'), ...dryRun },
    content: json('Group'),
  },
}

export const deleted: Answers = {
  200: {
    description: 'The group was deleted. In a dry run `deleted` is false.',
    headers: dryRun,
    content: json('ConfirmationOfGroupDeletion'),
  },
}

export const members: Answers = {
  ...usersListed,
  200: { ...usersListed[200], description: 'Every member that matches.' },
}

export const changedMembers: Answers = {
  200: {
    description: 'What happened to each id. In a dry run: what would happen.',
    headers: { ...replayed, ...dryRun },
    content: json('ChangedGroupMembers'),
  },
}

export const membership: Answers = {
  200: {
    description: 'The membership after the change. In a dry run `changed` is false.',
    headers: dryRun,
    content: json('GroupMembership'),
  },
}

export const ofUser: Answers = { 200: { description: 'The groups of the user.', content: list } }
