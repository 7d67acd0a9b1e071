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
      'Deletes a user: they are signed out everywhere at once. For some time they can be restored; with --purge nothing is left of them. Asks before, unless --yes is given.',
    )
    .action(runDelete)
  examples(remove, [
    ['rollbook users delete ada --dry-run', 'whether it would be allowed'],
    ['rollbook users delete ada@example.com --yes', 'without being asked'],
  ])
  addFindOptions(remove)
  remove.option('--purge', 'erase the user, so that nothing can be restored')
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
    await confirm(purge ? `Erase ${who}, for good?` : `Delete ${who}?`, options)
    const { etagOf } = await import('../../sdk/client/index.ts')
    // Whoever has been shown to the operator is deleted, not what they may have become meanwhile.
    const deletion = await client.users.delete(user_id, { purge, dryRun, ifMatch: etagOf(user), signal })
    await printOne(deletion, options)
    if (dryRun) return tell(`Nothing was changed: ${who} could be deleted.`)
    tell(`Deleted ${who}.`)
    if (deletion.restorable_until) tell(`Until ${deletion.restorable_until}: rollbook users restore ${user_id}`)
  })
}
