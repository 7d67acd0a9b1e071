/** The accounts of companies with which users sign in. */
import type { Command } from 'commander'
import { counted } from '../../lib/amounts.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { getConnection } from '../server/find-connection.ts'
import { idOf } from '../server/find-named.ts'
import { addFindOptions, type FindOptions, getUser } from '../server/find-user.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printOne, printRows, tell } from '../terminal/output.ts'
import { addWriteOptions, confirm, type WriteOptions } from '../terminal/write-options.ts'

type Options = FindOptions & OutputOptions & RemoteOptions

const identityColumns = [
  'identity_id',
  'connection_id',
  'connection_name',
  'subject',
  'email',
  'linked_by',
  'created_at',
  'last_used_at',
]

export function addIdentities(connections: Command): void {
  const list = connections
    .command('identities')
    .summary('list the linked accounts of a user')
    .description('Lists the accounts of companies with which a user signs in.')
    .action((text: string, options: Options) =>
      withServer(options, async (client, signal) => {
        const { user_id } = await getUser(client, text, options, signal)
        await printRows(await client.connections.identitiesOf(user_id, { signal }), options, 'linked accounts')
      }),
    )
  examples(list, [
    ['rollbook connections identities ada', 'show which accounts are linked, and how'],
    ['rollbook connections identities ada@example.com --json', 'output for a program'],
  ])
  addFindOptions(list)
  addOutputOptions(list, {
    all: identityColumns,
    shown: ['connection_name', 'subject', 'email', 'linked_by', 'last_used_at'],
  })
  addRemoteOptions(list)
}

export function addLink(connections: Command): void {
  const link = connections
    .command('link')
    .summary('link an account of a company to a user')
    .description(
      "Links an account of a company to a user, who can sign in with it from then on. For users whom an address does not link. You vouch that the account is the user's; the user is notified.",
    )
    .action((text: string, options: Options & WriteOptions & { connection: string; subject: string }) =>
      withServer(options, async (client, signal) => {
        const { dryRun = false, subject } = options
        const { user_id, username } = await getUser(client, text, options, signal)
        const { connection_id, name } = await getConnection(client, options.connection, signal)
        const account = { connection_id, subject }
        const linked = await client.connections.linkIdentityOf(user_id, account, { signal, dryRun })
        await printOne(linked, options)
        const what = `an account of ${name} to ${username}.`
        tell(dryRun ? `Nothing was changed. The command would link ${what}` : `Linked ${what}`)
      }),
    )
  link
    .requiredOption('--connection <name>', 'the name or connection_id of the company')
    .requiredOption(
      '--subject <id>',
      'the id of the account there, such as sub; `rollbook connections failures` shows it',
    )
  examples(link, [
    ['rollbook connections link ada --connection "Example Inc." --subject 00u1example', 'let ada sign in with it'],
    ['rollbook connections link ada --connection "Example Inc." --subject 00u1example --dry-run', 'only check it'],
  ])
  addFindOptions(link)
  addWriteOptions(link)
  addOutputOptions(link, {
    all: identityColumns,
    shown: ['identity_id', 'connection_name', 'subject', 'linked_by'],
  })
  addRemoteOptions(link)
}

export function addUnlink(connections: Command): void {
  const unlink = connections
    .command('unlink')
    .summary('remove linked accounts of a user')
    .description(
      "Removes all linked accounts of a user, or one of them, and ends the user's sessions. A trusted domain links the user again at the next sign-in. Asks first, unless --yes is given.",
    )
    .action((text: string, options: Options & WriteOptions & { identity?: string }) =>
      withServer(options, async (client, signal) => {
        const { dryRun = false, identity } = options
        const { user_id, username } = await getUser(client, text, options, signal)
        const namedIdentities = async () => {
          const identities = await client.connections.identitiesOf(user_id, { signal })
          return identities.map(({ identity_id, connection_name, subject, email }) => {
            return { id: identity_id, names: [connection_name, subject, email] }
          })
        }
        const list = `connections identities ${username}`
        const identity_id = identity && (await idOf(identity, namedIdentities, 'linked account', list))
        const which = identity === undefined ? 'the linked accounts' : 'this linked account'
        await confirm(`Remove ${which} of ${username} and end the sessions?`, options)
        const removal =
          identity_id === undefined
            ? await client.connections.removeIdentitiesOf(user_id, { signal, dryRun })
            : await client.connections.removeIdentityOf(user_id, identity_id, { signal, dryRun })
        await printOne(removal, options)
        const accounts = counted(removal.removed, 'linked account')
        tell(
          dryRun
            ? `Nothing was changed. ${accounts} of ${username} would be removed.`
            : `Removed ${accounts} of ${username}.`,
        )
      }),
    )
  unlink.option('--identity <account>', 'only this account: identity_id, company, email address or subject')
  examples(unlink, [
    ['rollbook connections unlink ada --dry-run', 'see how many there are'],
    ['rollbook connections unlink ada --yes', 'without confirmation'],
    ['rollbook connections unlink ada --identity "Example Inc."', 'one of several accounts'],
  ])
  addFindOptions(unlink)
  addWriteOptions(unlink)
  addOutputOptions(unlink, ['user_id', 'removed'])
  addRemoteOptions(unlink)
}
