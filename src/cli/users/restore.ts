import type { Command } from 'commander'
import { rowMembers } from '../../directory/users/schema.ts'
import type { RollbookClient } from '../../sdk/client/index.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { findDeleted, isUserId } from '../server/find-user.ts'
import { examples } from '../terminal/examples.ts'
import { notFound, UsageError } from '../terminal/failure.ts'
import { addOutputOptions, type OutputOptions, printOne, tell } from '../terminal/output.ts'
import { addWriteOptions, type WriteOptions } from '../terminal/write-options.ts'

type Options = WriteOptions & OutputOptions & RemoteOptions

export function addUsersRestore(users: Command): void {
  const restore = users
    .command('restore')
    .summary('restore a deleted user')
    .description(
      'Restores a deleted user with the same id, role and password, and shows the result. The user must sign in again.',
    )
    .argument('<user>', 'id, username or email address')
    .action(runRestore)
  examples(restore, [
    ['rollbook users restore ada', 'by the former username'],
    ['rollbook users restore 01890a5d-ac96-774b-bcce-b302099a8057 --dry-run', 'check whether it is allowed'],
  ])
  addWriteOptions(restore)
  addOutputOptions(restore, rowMembers)
  addRemoteOptions(restore)
}

async function runRestore(text: string, options: Options): Promise<void> {
  const { dryRun = false } = options
  const user = await withServer(options, async (client, signal) => {
    const user_id = isUserId(text) ? text : await getDeletedId(client, text, signal)
    return client.users.restore(user_id, { dryRun, signal })
  })
  await printOne(user, options)
  tell(dryRun ? 'Nothing was changed. The user would be as shown.' : `Restored ${user.username}.`)
}

async function getDeletedId(client: RollbookClient, text: string, signal: AbortSignal): Promise<string> {
  const found = await findDeleted(client, text, signal)
  const [user] = found
  if (user === undefined) throw notFound('deleted user', text, 'users deleted')
  if (found.length > 1) {
    const ids = found.map(({ user_id }) => user_id).join(', ')
    throw new UsageError(`Several deleted users had the name ${text}. Give the id of one of them: ${ids}.`)
  }
  return user.user_id
}
