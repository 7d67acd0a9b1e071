/** The members of a user as options of `create` and `update`. */
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
    .option('--email <address>', 'the e-mail address')
    .option('--first-name <name>', 'the first name')
    .option('--last-name <name>', 'the last name')
    .option('--role <role>', 'what they may do; rollbook roles lists the roles')
    .option('--external-id <id>', 'the id of the user in another system')
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
