import type { Command } from 'commander'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { addFindOptions, type FindOptions, getUser } from '../server/find-user.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printOne, tell } from '../terminal/output.ts'
import { addWriteOptions, confirm, type WriteOptions } from '../terminal/write-options.ts'

type Options = FindOptions & { purge?: true } & WriteOptions & OutputOptions & RemoteOptions

export function addUsersDelete(users: Command): void {
  const remove = users
    .command('delete')
    .summary('delete a user')
    .description(
      'Deletes a user and signs them out everywhere at once. The user can be restored for some time, unless --purge is given. Asks first, unless --yes is given.',
    )
    .action(runDelete)
  examples(remove, [
    ['rollbook users delete ada --dry-run', 'check whether it is allowed'],
    ['rollbook users delete ada@example.com --yes', 'without confirmation'],
  ])
  addFindOptions(remove)
  remove.option('--purge', 'erase the user for good')
  addWriteOptions(remove)
  addOutputOptions(remove, ['user_id', 'deleted', 'restorable_until'])
  addRemoteOptions(remove)
}

async function runDelete(text: string, options: Options): Promise<void> {
  const { purge = false, dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const { user_id } = await getUser(client, text, options, signal)
    const user = await client.users.get(user_id, { signal })
    const who = user.email === null ? user.username : `${user.username} (${user.email})`
    await confirm(purge ? `Erase ${who} for good?` : `Delete ${who}?`, options)
    const { etagOf } = await import('../../sdk/client/index.ts')
    // Delete the user only if they are still as the question showed them.
    const deletion = await client.users.delete(user_id, { purge, dryRun, ifMatch: etagOf(user), signal })
    await printOne(deletion, options)
    if (dryRun) return tell(`Nothing was changed. ${who} can be deleted.`)
    tell(`Deleted ${who}.`)
    if (deletion.restorable_until)
      tell(`You can restore the user until ${deletion.restorable_until}: rollbook users restore ${user_id}`)
  })
}
