/** The texts of the role operations in the OpenAPI document. */
import { mostRoles } from './schema.ts'

export const listDescription = `Lists all roles that a user can have, with their permissions: first the built-in roles, then those of \`ROLLBOOK_ROLES\`
in their order, then the others by name. A role that left the setting is listed without permissions as long as a user or group has it.`

export const createDescription = `Creates a role with some of your own permissions. A change of roles reaches every session, token and key within a
second. There can be ${mostRoles} roles besides the built-in ones and those of the settings.`

export const getDescription = `Returns a role. Its counts do not change the \`ETag\`.`

export const updateDescription = `Changes a role, for all who have it. You need every permission that it has before and after. Try it with
\`dry_run\`: what leaves no active administrator is refused. Access tokens of its holders become invalid, their sessions continue.`

export const deleteDescription = `Deletes a role that no user or group has, and that no connection, policy or trusted issuer names. With
\`replace_with\` users and groups that have it get another role first: at once if they are few, otherwise in steps after the response (202). From
the beginning nobody can be given the role, and it permits what the other one does; it is gone when the last holder has the other one.`

export const createExample = {
  role: 'support',
  description: 'Answers customers',
  permissions: ['users:read', 'sessions:write'],
}
