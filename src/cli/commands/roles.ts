/** `rollbook roles`: what users can be, through the API. They are configured, and not changed by it. */
import type { Command } from 'commander'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printRows } from '../terminal/output.ts'

export function addRoles(program: Command): void {
  const roles = program
    .command('roles')
    .summary('see what users can be, and what that permits')
    .description('The roles of users. ROLLBOOK_ROLES adds roles to those that are always there.')
  const list = roles
    .command('list')
    .summary('list all roles')
    .description('Lists all roles with what they permit.')
    .action((options: OutputOptions & RemoteOptions) =>
      withServer(options, async (client, signal) => printRows(await client.roles.list({ signal }), options)),
    )
  for (const command of [roles, list]) {
    examples(command, [
      ['rollbook roles list', 'all of them'],
      ['rollbook roles list --columns role', 'their names alone'],
    ])
  }
  addOutputOptions(list, ['role', 'permissions', 'built_in'])
  addRemoteOptions(list)
}
