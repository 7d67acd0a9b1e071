import type { Command } from 'commander'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { addFindOptions, type FindOptions, getUser } from '../server/find-user.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printOne, tell } from '../terminal/output.ts'
import { addWriteOptions, type WriteOptions } from '../terminal/write-options.ts'

type Options = { printUrl?: true } & FindOptions & WriteOptions & OutputOptions & RemoteOptions

export function addUsersResetPassword(users: Command): void {
  const reset = users
    .command('reset-password')
    .summary('send a user a link to set a new password')
    .description(
      'Sends a user a link to set a new password. It works once, for one hour, and replaces an earlier one. If no message can be sent, the link is printed, for you to hand over.',
    )
    .action(runResetPassword)
  examples(reset, [
    ['rollbook users reset-password ada', 'send the link, or print it where email is not set up'],
    ["rollbook users reset-password ada --print-url --template '{{url}}'", 'send nothing, and print only the link'],
  ])
  addFindOptions(reset).option('--print-url', 'send no message, and print the link instead')
  addWriteOptions(reset)
  addOutputOptions(reset, ['user_id', 'expires_at', 'sent', 'url'])
  addRemoteOptions(reset)
}

async function runResetPassword(user: string, { printUrl, ...options }: Options): Promise<void> {
  const { dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const { user_id, username } = await getUser(client, user, options, signal)
    const body = printUrl ? { send: false } : {}
    const link = await client.users.createPasswordReset(user_id, body, { dryRun, signal })
    await printOne(link, options)
    if (dryRun) tell(`Nothing was changed. ${username} can get a link.`)
    else if (link.sent) tell(`The message is on its way. Its link works until ${link.expires_at}.`)
    else tell(`Hand over the link. It is not shown again, and works until ${link.expires_at}.`)
  })
}
