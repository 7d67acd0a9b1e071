import { type Command, Option } from 'commander'
import { rowMembers } from '../../directory/users/schema.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { getOrganization } from '../server/find-organization.ts'
import { examples } from '../terminal/examples.ts'
import { UsageError } from '../terminal/failure.ts'
import { addOutputOptions, type OutputOptions, printOne, tell } from '../terminal/output.ts'
import { addPasswordOptions, type PasswordOptions, readPassword } from '../terminal/secret-input.ts'
import { addWriteOptions, type WriteOptions } from '../terminal/write-options.ts'
import { addEndDateOptions, type EndDateOptions, endDateOf } from './end-date-options.ts'
import { addMemberOptions, type MemberOptions, membersOf } from './member-options.ts'

type Kind = 'person' | 'service'
type Options = { kind?: Kind; invite?: true; organization?: string } & MemberOptions &
  EndDateOptions &
  PasswordOptions &
  WriteOptions &
  OutputOptions &
  RemoteOptions

export function addUsersCreate(users: Command): void {
  const create = users
    .command('create')
    .summary('create a user')
    .description(
      'Creates a user and shows the result. Without a password the user cannot sign in yet: --invite sends a link to choose one, or prints it where no message can be sent. A service account never signs in: create keys for it with rollbook keys create --user.',
    )
    .argument('[username]', 'unique; upper and lower case do not matter (default: the email address)')
    .action(runCreate)
  examples(create, [
    ['rollbook users create ada --email ada@example.com --ask-password', 'ask for the password'],
    [
      'pass show ada | rollbook users create ada --role admin --password-stdin',
      'read the password from another program',
    ],
    ['rollbook users create --email ada@example.com --invite', 'send a link to choose a password'],
    ['rollbook users create billing --kind service', 'a service account'],
    ['rollbook users create temp --email temp@example.com --invite --expires 2026-12-31', 'access that ends by itself'],
  ])
  create.addOption(new Option('--kind <kind>', 'service: a program (default: person)').choices(['person', 'service']))
  create.addOption(
    new Option('--invite', 'send a link to choose a password').conflicts([
      'askPassword',
      'passwordStdin',
      'passwordFile',
      'kind',
    ]),
  )
  addMemberOptions(create)
  create.option('--organization <organization>', 'organization to which the user belongs: its id or name')
  addEndDateOptions(create)
  addPasswordOptions(create)
  addWriteOptions(create)
  addOutputOptions(create, [...rowMembers, ...linkMembers, 'access_expires_at'])
  addRemoteOptions(create)
}

/** As of `rollbook users invite`. */
const linkMembers = ['expires_at', 'sent', 'url']

async function runCreate(name: string | undefined, options: Options): Promise<void> {
  const username = name ?? (options.email as string | undefined)
  if (username === undefined) throw new UsageError('Give a username, or an email address with --email.')
  const password = await readPassword(options)
  const { kind, invite, organization, dryRun = false } = options
  const input = {
    username,
    ...membersOf(options),
    ...endDateOf(options),
    ...(kind && { kind }),
    ...(password !== undefined && { password }),
    ...(invite && { invite: 'true' as const }),
  }
  const created = await withServer(options, async (client, signal) => {
    const owner = organization === undefined ? undefined : await getOrganization(client, organization, signal)
    const body = { ...input, ...(owner && { organization_id: owner.organization_id }) }
    return client.users.create(body, { signal, dryRun })
  })
  const { invitation, ...user } = created
  // With an invitation, `expires_at` is the end of its link.
  const { expires_at, ...others } = user
  const end = expires_at !== undefined && { [invitation ? 'access_expires_at' : 'expires_at']: expires_at }
  await printOne({ ...others, ...invitation, ...end }, options)
  if (dryRun) return tell('Nothing was created. The user would be as shown.')
  tell(`Created ${user.username}.`)
  if (invitation?.sent) tell(`The invitation is on its way. Its link works until ${invitation.expires_at}.`)
  else if (invitation) tell(`Hand over the link. It is not shown again, and works until ${invitation.expires_at}.`)
}
