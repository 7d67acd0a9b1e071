/** `rollbook roles`: the roles of users, and their permissions. */
import { type Command, Option } from 'commander'
import { deletedRoleSchema } from '../../administration/roles/schema.ts'
import { counted } from '../../lib/amounts.ts'
import type { Role, UpdateRole } from '../../sdk/client/types.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { examples } from '../terminal/examples.ts'
import { UsageError } from '../terminal/failure.ts'
import { addOutputOptions, type OutputOptions, printOne, printRows, tell } from '../terminal/output.ts'
import {
  addOverrideOption,
  addWriteOptions,
  confirm,
  type OverrideOption,
  type WriteOptions,
} from '../terminal/write-options.ts'

type Common = OutputOptions & RemoteOptions
type Settings = { description?: string; permissions?: string[] }
type Change = Settings & WriteOptions & Common & { add?: string[]; remove?: string[] } & OverrideOption
type Removal = WriteOptions & Common & { replaceWith?: string } & OverrideOption

const columns = {
  all: [
    ...['role', 'description', 'permissions', 'built_in', 'managed_by', 'user_count', 'group_count'],
    ...['created_at', 'updated_at'],
  ],
  shown: ['role', 'permissions', 'user_count', 'group_count', 'managed_by'],
}

export function addRoles(program: Command): void {
  const roles = program
    .command('roles')
    .summary('show and change the roles and their permissions')
    .description('Manages the roles of users. Built-in roles and those of ROLLBOOK_ROLES cannot be changed.')
  examples(roles, [
    ['rollbook roles list', 'show all roles'],
    ['rollbook roles create support --permissions users:read,sessions:write', 'create a role'],
  ])
  addList(roles)
  addGet(roles)
  addCreate(roles)
  addUpdate(roles)
  addDelete(roles)
}

const words = (text: string, before: string[] = []) => [...before, ...text.split(',').filter((word) => word !== '')]

function addList(roles: Command): void {
  const list = roles
    .command('list')
    .summary('list all roles')
    .description('Lists all roles with their permissions, and how many users and groups have them.')
    .action((options: Common) =>
      withServer(options, async (client, signal) => printRows(await client.roles.list({ signal }), options, 'roles')),
    )
  examples(list, [
    ['rollbook roles list', 'show all roles'],
    ['rollbook roles list --columns role', 'show only the names'],
  ])
  addOutputOptions(list, columns)
  addRemoteOptions(list)
}

function addGet(roles: Command): void {
  const get = roles
    .command('get')
    .summary('show a role')
    .description('Shows a role with its permissions, and how many users and groups have it.')
    .argument('<role>', 'its name')
    .action((role: string, options: Common) =>
      withServer(options, async (client, signal) => printOne(await client.roles.get(role, { signal }), options)),
    )
  examples(get, [
    ['rollbook roles get support', 'show a role'],
    ['rollbook roles get support --json', 'output for a program'],
  ])
  addOutputOptions(get, columns)
  addRemoteOptions(get)
}

function addCreate(roles: Command): void {
  const create = roles
    .command('create')
    .summary('create a role')
    .description('Creates a role with some of your own permissions, and shows it.')
    .argument('<role>', 'lower-case letters, digits, _ and -; it cannot be changed later')
    .addOption(new Option('--permissions <words>', 'the permissions, separated by commas').argParser(words))
    .option('--description <text>', 'what the role is for')
    .action(runCreate)
  examples(create, [
    ['rollbook roles create support --permissions users:read,sessions:write', 'create a role'],
    [
      'rollbook roles create analyst --permissions reports:read --description "Reads reports"',
      'with words of your product',
    ],
  ])
  addWriteOptions(create)
  addOutputOptions(create, columns)
  addRemoteOptions(create)
}

async function runCreate(
  role: string,
  { description, permissions = [], ...options }: Settings & WriteOptions & Common,
): Promise<void> {
  const { dryRun = false } = options
  const input = { role, permissions, ...(description !== undefined && { description }) }
  const created = await withServer(options, (client, signal) => client.roles.create(input, { signal, dryRun }))
  await printOne(created, options)
  tell(dryRun ? 'Nothing was created. The role would be as shown.' : `Created ${created.role}.`)
}

function addUpdate(roles: Command): void {
  const update = roles
    .command('update')
    .summary('change the permissions of a role')
    .description(
      'Changes a role for all who have it, within a second. --add and --remove change single permissions; --permissions replaces all of them.',
    )
    .argument('<role>', 'its name')
    .addOption(new Option('--permissions <words>', 'the permissions, separated by commas').argParser(words))
    .addOption(new Option('--add <words>', 'permissions to add').argParser(words))
    .addOption(new Option('--remove <words>', 'permissions to remove').argParser(words))
    .option('--description <text>', 'what the role is for')
    .action(runUpdate)
  examples(update, [
    ['rollbook roles update support --add audit:read', 'give one more permission'],
    ['rollbook roles update support --remove sessions:write --dry-run', 'check whether that is allowed'],
  ])
  addOverrideOption(update, 'a role')
  addWriteOptions(update)
  addOutputOptions(update, columns)
  addRemoteOptions(update)
}

async function runUpdate(role: string, options: Change): Promise<void> {
  const { dryRun = false, override, permissions, add, remove, description } = options
  if ([permissions, add, remove, description].every((value) => value === undefined)) {
    throw new UsageError('There is nothing to change. Give at least one option with a new value.')
  }
  if (permissions !== undefined && (add !== undefined || remove !== undefined)) {
    throw new UsageError('Give either --permissions or --add and --remove.')
  }
  const patch = (current: Role): UpdateRole => ({
    ...(description !== undefined && { description }),
    ...((permissions ?? add ?? remove) !== undefined && { permissions: permissions ?? changed(current, add, remove) }),
  })
  const changes = { dryRun, ...(override && { override }) }
  const after = await withServer(options, (client, signal) => client.roles.update(role, patch, { signal, ...changes }))
  await printOne(after, options)
  tell(dryRun ? 'Nothing was changed. The role would be as shown.' : `Changed ${after.role}.`)
}

function changed({ permissions }: Role, add: string[] = [], remove: string[] = []): string[] {
  return [...new Set([...permissions, ...add])].filter((word) => !remove.includes(word))
}

function addDelete(roles: Command): void {
  const remove = roles
    .command('delete')
    .summary('delete a role')
    .description(
      'Deletes a role. If users or groups have it, give them another one with --replace-with. Asks first, unless --yes is given.',
    )
    .argument('<role>', 'its name')
    .option('--replace-with <role>', 'the role that users and groups with this one get')
    .action(runDelete)
  examples(remove, [
    ['rollbook roles delete analyst', 'delete a role that is not used'],
    ['rollbook roles delete support --replace-with helper --yes', 'move its holders first'],
  ])
  addOverrideOption(remove, 'a role')
  addWriteOptions(remove)
  addOutputOptions(remove, deletedRoleSchema.required)
  addRemoteOptions(remove)
}

async function runDelete(role: string, options: Removal): Promise<void> {
  const { dryRun = false, replaceWith, override } = options
  const how = { ...(replaceWith !== undefined && { replaceWith }), ...(override && { override }) }
  await withServer(options, async (client, signal) => {
    const trial = await client.roles.delete(role, { signal, dryRun: true, ...how })
    const holders = `${counted(trial.user_count, 'user')} and ${counted(trial.group_count, 'group')}`
    const isHeld = trial.user_count + trial.group_count > 0
    const what = isHeld
      ? `Delete the role ${role}, and give ${holders} the role ${replaceWith}?`
      : `Delete the role ${role}?`
    await confirm(what, options)
    const done = dryRun ? trial : await client.roles.delete(role, { signal, ...how })
    await printOne(done, options)
    if (dryRun) return tell(`Nothing was changed. ${role} can be deleted.`)
    tell(
      done.deleted
        ? `Deleted ${role}.`
        : `${role} is being replaced; it is deleted when the last holder has ${replaceWith}.`,
    )
  })
}
