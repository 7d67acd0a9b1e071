import type { Command } from 'commander'
import { addRemoteOptions, withServer } from '../server/connect.ts'
import { getUser } from '../server/find-user.ts'
import { filterOf } from '../server/user-filter.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, printOne, tell } from '../terminal/output.ts'
import { addWriteOptions } from '../terminal/write-options.ts'
import { addSelectionOptions } from './bulk.ts'
import { invitationColumns, type RowOptions } from './bulk-options.ts'

export function addUsersInvite(users: Command): void {
  const invite = users
    .command('invite')
    .summary('send users a link to choose a password')
    .description(
      'Invites users who have no password: sends a link with which they choose one. If no message can be sent, the link is printed, for you to hand over. One user who is named gets a new link in place of an earlier one; of many users, those whose invitation still works are left alone, unless --resend is given. Conditions find people only: service accounts cannot be invited.',
    )
    .argument('[user...]', 'ids, usernames or email addresses')
    .action(runInvite)
  examples(invite, [
    ['rollbook users invite ada', 'send the link, or print it where email is not set up'],
    ["rollbook users invite ada --print-url --template '{{url}}'", 'send nothing, and print only the link'],
    ['rollbook users invite --without-password --not-invited --dry-run', 'show how many users would be invited'],
    ['rollbook users invite --from-file new.txt --print-url --output csv > links.csv', 'links to hand over'],
  ])
  addSelectionOptions(invite)
    .option('--print-url', 'send no messages, and print the links instead')
    .option('--resend', 'also users whose invitation still works')
  addWriteOptions(invite)
  addOutputOptions(invite, invitationColumns)
  addRemoteOptions(invite)
}

type Options = Omit<RowOptions, 'rows'>

async function runInvite(named: string[], options: Options): Promise<void> {
  const [user] = named
  const isOne = named.length === 1 && options.fromFile === undefined && !options.all
  if (isOne && user !== undefined && Object.keys(filterOf(options)).length === 0) return inviteOne(user, options)
  const { runBulk } = await import('./bulk-run.ts')
  return runBulk('invite', named, { ...options, rows: 'refused' })
}

async function inviteOne(user: string, { printUrl, ...options }: Options): Promise<void> {
  const { dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const { user_id, username } = await getUser(client, user, options, signal)
    const link = await client.users.invite(user_id, printUrl ? { send: false } : {}, { dryRun, signal })
    await printOne(link, { ...options, known: oneLink })
    if (dryRun) tell(`Nothing was changed. ${username} can be invited.`)
    else if (link.sent) tell(`The invitation is on its way. Its link works until ${link.expires_at}.`)
    else tell(`Hand over the link. It is not shown again, and works until ${link.expires_at}.`)
  })
}

const oneLink = { all: ['user_id', 'expires_at', 'sent', 'url'], shown: ['user_id', 'expires_at', 'sent', 'url'] }
