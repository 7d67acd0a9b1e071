import type { Command } from 'commander'
import { rowMembers } from '../../directory/users/schema.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { addFindOptions, type FindOptions, getUser } from '../server/find-user.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printOne } from '../terminal/output.ts'

export function addUsersGet(users: Command): void {
  const get = users
    .command('get')
    .alias('show')
    .summary('show a user')
    .description('Shows a user. The exit code is 3 if there is no such user.')
    .action(runGet)
  examples(get, [
    ['rollbook users get ada', 'by username; an id or an email address works too'],
    ['rollbook users get hr-1815 --by external-id --json', 'by the id in another system, as JSON'],
  ])
  addFindOptions(get)
  addOutputOptions(get, rowMembers)
  addRemoteOptions(get)
}

async function runGet(user: string, options: FindOptions & OutputOptions & RemoteOptions): Promise<void> {
  await printOne(await withServer(options, (client, signal) => getUser(client, user, options, signal)), options)
}
