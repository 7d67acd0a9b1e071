/** `rollbook roles`: lists the roles. They come from the configuration, so there is no command that changes them. */
import type { Command } from 'commander'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printRows } from '../terminal/output.ts'

export function addRoles(program: Command): void {
  const roles = program
    .command('roles')
    .summary('show the roles and their permissions')
    .description('Shows the roles of users. ROLLBOOK_ROLES adds roles to the built-in ones.')
  const list = roles
    .command('list')
    .summary('list all roles')
    .description('Lists all roles with their permissions.')
    .action((options: OutputOptions & RemoteOptions) =>
      withServer(options, async (client, signal) => printRows(await client.roles.list({ signal }), options, 'roles')),
    )
  for (const command of [roles, list]) {
    examples(command, [
      ['rollbook roles list', 'show all roles'],
      ['rollbook roles list --columns role', 'show only the names'],
    ])
  }
  addOutputOptions(list, ['role', 'permissions', 'built_in'])
  addRemoteOptions(list)
}
