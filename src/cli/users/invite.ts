import type { Command } from 'commander'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { addFindOptions, type FindOptions, getUser } from '../server/find-user.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printOne, tell } from '../terminal/output.ts'
import { addWriteOptions, type WriteOptions } from '../terminal/write-options.ts'

type Options = { printUrl?: true } & FindOptions & WriteOptions & OutputOptions & RemoteOptions

export function addUsersInvite(users: Command): void {
  const invite = users
    .command('invite')
    .summary('send a user a link to choose a password')
    .description(
      'Invites a user who has no password: sends a link with which they choose one, and replaces an earlier invitation. If no message can be sent, the link is printed, for you to hand over.',
    )
    .action(runInvite)
  examples(invite, [
    ['rollbook users invite ada', 'send the link, or print it where email is not set up'],
    ["rollbook users invite ada --print-url --template '{{url}}'", 'send nothing, and print only the link'],
  ])
  addFindOptions(invite).option('--print-url', 'send no message, and print the link instead')
  addWriteOptions(invite)
  addOutputOptions(invite, ['user_id', 'expires_at', 'sent', 'url'])
  addRemoteOptions(invite)
}

async function runInvite(user: string, { printUrl, ...options }: Options): Promise<void> {
  const { dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const { user_id, username } = await getUser(client, user, options, signal)
    const link = await client.users.invite(user_id, printUrl ? { send: false } : {}, { dryRun, signal })
    await printOne(link, options)
    if (dryRun) tell(`Nothing was changed. ${username} can be invited.`)
    else if (link.sent) tell(`The invitation is on its way. Its link works until ${link.expires_at}.`)
    else tell(`Hand over the link. It is not shown again, and works until ${link.expires_at}.`)
  })
}
