/** Options for the members of a user, for `create` and `update`. */
import type { Command } from 'commander'

export type MemberOptions = {
  email?: string
  firstName?: string
  lastName?: string
  role?: string
  externalId?: string
}

export function addMemberOptions(command: Command): Command {
  return command
    .option('--email <address>', 'email address')
    .option('--first-name <name>', 'first name')
    .option('--last-name <name>', 'last name')
    .option('--role <role>', 'role; rollbook roles list shows all roles')
    .option('--external-id <id>', 'id of the user in another system')
}

export function membersOf({ email, firstName, lastName, role, externalId }: MemberOptions) {
  return {
    ...(email !== undefined && { email }),
    ...(firstName !== undefined && { first_name: firstName }),
    ...(lastName !== undefined && { last_name: lastName }),
    ...(role !== undefined && { role }),
    ...(externalId !== undefined && { external_id: externalId }),
  }
}
