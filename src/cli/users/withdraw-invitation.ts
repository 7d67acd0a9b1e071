import type { Command } from 'commander'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { addFindOptions, type FindOptions, getUser } from '../server/find-user.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printOne, tell } from '../terminal/output.ts'
import { addWriteOptions, type WriteOptions } from '../terminal/write-options.ts'

type Options = FindOptions & WriteOptions & OutputOptions & RemoteOptions

export function addUsersWithdrawInvitation(users: Command): void {
  const withdraw = users
    .command('withdraw-invitation')
    .summary('withdraw the invitation of a user')
    .description('Withdraws an invitation: its link stops working, even if the message was already sent.')
    .action(runWithdraw)
  examples(withdraw, [
    ['rollbook users withdraw-invitation ada', 'by username'],
    ['rollbook users withdraw-invitation ada@example.com --dry-run', 'check whether it is allowed'],
  ])
  addFindOptions(withdraw)
  addWriteOptions(withdraw)
  addOutputOptions(withdraw, ['user_id', 'withdrawn'])
  addRemoteOptions(withdraw)
}

async function runWithdraw(user: string, options: Options): Promise<void> {
  const { dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const { user_id, username } = await getUser(client, user, options, signal)
    const result = await client.users.withdrawInvitation(user_id, { dryRun, signal })
    await printOne(result, options)
    if (dryRun) tell('Nothing was changed. The invitation can be withdrawn.')
    else if (result.withdrawn) tell(`The link to ${username} no longer works.`)
    else tell(`${username} was not invited.`)
  })
}
