import { type Command, Option } from 'commander'
import { rowMembers } from '../../directory/users/schema.ts'
import { counted } from '../../lib/amounts.ts'
import type { RollbookClient, UpdatedUser } from '../../sdk/client/index.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { organizationIdFor } from '../server/find-organization.ts'
import { addFindOptions, type FindOptions, getUser } from '../server/find-user.ts'
import { examples } from '../terminal/examples.ts'
import { UsageError } from '../terminal/failure.ts'
import { addOutputOptions, type OutputOptions, printOne, tell } from '../terminal/output.ts'
import { addPasswordOptions, type PasswordOptions, readPassword } from '../terminal/secret-input.ts'
import { addWriteOptions, type WriteOptions } from '../terminal/write-options.ts'
import { addEndDateOptions, type EndDateOptions, endDateOf } from './end-date-options.ts'
import { addMemberOptions, type MemberOptions, membersOf } from './member-options.ts'

type Changes = MemberOptions &
  EndDateOptions & {
    username?: string
    /** Id or name, or `none`. */
    organization?: string
    clearExpires?: true
    clearEmail?: true
    clearExternalId?: true
    enable?: true
    disable?: true
    activate?: true
    deactivate?: true
  }
type Options = Changes & PasswordOptions & FindOptions & WriteOptions & OutputOptions & RemoteOptions

export function addUsersUpdate(users: Command): void {
  const update = users
    .command('update')
    .summary('change a user')
    .description(
      'Changes the given members of a user and shows the result. A new password and --disable end all sessions of the user.',
    )
    .action(runUpdate)
  examples(update, [
    ['rollbook users update ada --role support --last-name King', 'change the role and the name'],
    ['rollbook users update ada@example.com --disable', 'lock a user out at once'],
    ['rollbook users update ada --expires-in 30d', 'end the access in 30 days'],
    ['rollbook users update ada --organization Acme --dry-run', 'show what a move to an organization removes'],
  ])
  addFindOptions(update)
  update.option('--username <name>', 'new username')
  addMemberOptions(update)
  addEndDateOptions(update)
  update
    .option('--organization <organization>', 'organization to which the user moves: its id or name, or none')
    .addOption(new Option('--clear-email', 'remove the email address').conflicts('email'))
    .addOption(new Option('--clear-external-id', 'remove the external id').conflicts('externalId'))
    .addOption(new Option('--clear-expires', 'remove the end date').conflicts(['expires', 'expiresIn']))
    .addOption(new Option('--enable', 'allow the user to sign in').conflicts(['disable', 'deactivate']))
    .option('--disable', 'stop the user from signing in')
    // The names of 0.1.
    .addOption(new Option('--activate').conflicts(['disable', 'deactivate']).hideHelp())
    .addOption(new Option('--deactivate').conflicts('enable').hideHelp())
  addPasswordOptions(update)
  addWriteOptions(update)
  addOutputOptions(update, rowMembers)
  addRemoteOptions(update)
}

async function runUpdate(user: string, options: Options): Promise<void> {
  const patch = patchOf(options, await readPassword(options))
  const { organization } = options
  if (Object.keys(patch).length === 0 && organization === undefined)
    throw new UsageError('There is nothing to change. Give at least one option with a new value.')
  const { dryRun = false } = options
  const changed = await withServer(options, async (client, signal) => {
    const { user_id } = await getUser(client, user, options, signal)
    // The patch does not depend on the current values, so a concurrent change is not a conflict.
    const owner = organization !== undefined && (await organizationOf(client, organization, signal))
    return client.users.update(user_id, () => ({ ...patch, ...owner }), { signal, dryRun })
  })
  const { move, ...members } = changed
  await printOne(members, options)
  if (move !== undefined) tellMove(move, dryRun)
  tell(dryRun ? 'Nothing was changed. The user would be as shown.' : `Changed ${changed.username}.`)
}

async function organizationOf(
  client: RollbookClient,
  text: string,
  signal: AbortSignal,
): Promise<{ organization_id: string | null }> {
  const id = await organizationIdFor(client, text, signal)
  return { organization_id: id === 'none' ? null : id }
}

function tellMove({ sessions, groups, identities }: NonNullable<UpdatedUser['move']>, dryRun: boolean): void {
  const lost = [
    ...(sessions > 0 ? [counted(sessions, 'session')] : []),
    ...groups.map(({ name }) => `the group ${name}`),
    ...identities.map((one) => `the linked account at ${one.connection_name}`),
  ]
  if (lost.length > 0) tell(`The user ${dryRun ? 'would lose' : 'has lost'} ${new Intl.ListFormat('en').format(lost)}.`)
}

function patchOf(options: Changes, password: string | undefined) {
  const { username, clearEmail, clearExternalId, clearExpires } = options
  const [isEnabled, isDisabled] = [options.enable ?? options.activate, options.disable ?? options.deactivate]
  return {
    ...membersOf(options),
    ...endDateOf(options),
    ...(username !== undefined && { username }),
    ...(clearEmail && { email: null }),
    ...(clearExternalId && { external_id: null }),
    ...(clearExpires && { expires_at: null }),
    ...((isEnabled ?? isDisabled) && { active: isEnabled ?? false }),
    ...(password !== undefined && { password }),
  }
}
