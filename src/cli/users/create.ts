import { type Command, Option } from 'commander'
import { rowMembers } from '../../directory/users/schema.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printOne, tell } from '../terminal/output.ts'
import { addPasswordOptions, type PasswordOptions, readPassword } from '../terminal/secret-input.ts'
import { addWriteOptions, type WriteOptions } from '../terminal/write-options.ts'
import { addMemberOptions, type MemberOptions, membersOf } from './member-options.ts'

type Kind = 'person' | 'service'
type Options = { kind?: Kind } & MemberOptions & PasswordOptions & WriteOptions & OutputOptions & RemoteOptions

export function addUsersCreate(users: Command): void {
  const create = users
    .command('create')
    .summary('create a user')
    .description(
      'Creates a user and shows the result. Without a password the user cannot sign in yet. A service account never signs in: create keys for it with rollbook keys create --user.',
    )
    .argument('<username>', 'unique; upper and lower case do not matter')
    .action(runCreate)
  examples(create, [
    ['rollbook users create ada --email ada@example.com --ask-password', 'ask for the password'],
    [
      'pass show ada | rollbook users create ada --role admin --password-stdin',
      'read the password from another program',
    ],
    ['rollbook users create billing --kind service', 'a service account'],
  ])
  create.addOption(new Option('--kind <kind>', 'service: a program (default: person)').choices(['person', 'service']))
  addMemberOptions(create)
  addPasswordOptions(create)
  addWriteOptions(create)
  addOutputOptions(create, rowMembers)
  addRemoteOptions(create)
}

async function runCreate(username: string, options: Options): Promise<void> {
  const password = await readPassword(options)
  const { kind } = options
  const input = { username, ...membersOf(options), ...(kind && { kind }), ...(password !== undefined && { password }) }
  const { dryRun = false } = options
  const user = await withServer(options, (client, signal) => client.users.create(input, { signal, dryRun }))
  await printOne(user, options)
  tell(dryRun ? 'Nothing was created. The user would be as shown.' : `Created ${user.username}.`)
}
