import type { Command } from 'commander'
import { lockSchema } from '../../access/sign-in/throttling/schema.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { addFindOptions, type FindOptions, getUser } from '../server/find-user.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printOne, tell } from '../terminal/output.ts'
import { addWriteOptions, type WriteOptions } from '../terminal/write-options.ts'

type Options = FindOptions & WriteOptions & OutputOptions & RemoteOptions

export function addUsersUnlock(users: Command): void {
  const unlock = users
    .command('unlock')
    .summary('let a user sign in again after wrong passwords')
    .description(
      'Lets a user sign in again at once, who must wait or is locked after wrong passwords. The password stays. rollbook users sign-in shows whether a user must wait.',
    )
    .action(runUnlock)
  examples(unlock, [
    ['rollbook users unlock ada', 'end every wait'],
    ['rollbook users list --locked', 'show who must wait'],
  ])
  addFindOptions(unlock)
  addWriteOptions(unlock)
  addOutputOptions(unlock, lockSchema.required)
  addRemoteOptions(unlock)
}

async function runUnlock(user: string, options: Options): Promise<void> {
  const { dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const { user_id, username } = await getUser(client, user, options, signal)
    await printOne(await client.users.unlock(user_id, { dryRun, signal }), options)
    tell(dryRun ? `Nothing was changed. ${username} can be unlocked.` : `${username} can sign in again.`)
  })
}
