import { type Command, Option } from 'commander'
import { groupSchema } from '../../administration/groups/schema.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { addGroupArgument, getGroup } from '../server/find-group.ts'
import { examples } from '../terminal/examples.ts'
import { UsageError } from '../terminal/failure.ts'
import { addOutputOptions, type OutputOptions, printOne, tell } from '../terminal/output.ts'
import {
  addOverrideOption,
  addWriteOptions,
  type OverrideOption,
  type WriteOptions,
} from '../terminal/write-options.ts'

type Members = { description?: string; role?: string; externalId?: string }
type CreateOptions = Members & WriteOptions & OutputOptions & RemoteOptions
type UpdateOptions = CreateOptions & OverrideOption & { name?: string; clearRole?: true; clearExternalId?: true }

function addMemberOptions(command: Command): Command {
  return command
    .option('--description <text>', 'what the group is for')
    .option('--role <role>', 'role of the members; rollbook roles list shows all roles')
    .option('--external-id <id>', 'id of the group in another system')
}

function membersOf({ description, role, externalId }: Members) {
  return {
    ...(description !== undefined && { description }),
    ...(role !== undefined && { role }),
    ...(externalId !== undefined && { external_id: externalId }),
  }
}

export function addGroupsCreate(groups: Command): void {
  const create = groups
    .command('create')
    .summary('create a group')
    .description('Creates a group without members and shows the result.')
    .argument('<name>', 'unique; upper and lower case do not matter')
    .action(runCreate)
  addMemberOptions(create)
  examples(create, [
    ['rollbook groups create Support --role user --description "Answers customers"', 'a group with a role'],
    ['rollbook groups create Contractors', 'a group that only names people'],
  ])
  addWriteOptions(create)
  addOutputOptions(create, groupSchema.required)
  addRemoteOptions(create)
}

async function runCreate(name: string, options: CreateOptions): Promise<void> {
  const { dryRun = false } = options
  const input = { name, ...membersOf(options) }
  const group = await withServer(options, (client, signal) => client.groups.create(input, { signal, dryRun }))
  await printOne(group, options)
  tell(dryRun ? 'Nothing was created. The group would be as shown.' : `Created ${group.name}.`)
}

export function addGroupsUpdate(groups: Command): void {
  const update = groups
    .command('update')
    .summary('change a group')
    .description(
      'Changes the given members of a group and shows the result. With another role, the permissions of all members change at once.',
    )
    .action(runUpdate)
  addGroupArgument(update).option('--name <name>', 'new name')
  addMemberOptions(update)
    .addOption(new Option('--clear-role', 'leave the members with their own roles').conflicts('role'))
    .addOption(new Option('--clear-external-id', 'remove the external id').conflicts('externalId'))
  examples(update, [
    ['rollbook groups update Support --role admin --dry-run', 'check whether it is allowed'],
    ['rollbook groups update Support --name "Customer care"', 'rename a group'],
  ])
  addOverrideOption(update, 'a group')
  addWriteOptions(update)
  addOutputOptions(update, groupSchema.required)
  addRemoteOptions(update)
}

async function runUpdate(text: string, options: UpdateOptions): Promise<void> {
  const { name, clearRole, clearExternalId, dryRun = false, override } = options
  const patch = {
    ...membersOf(options),
    ...(name !== undefined && { name }),
    ...(clearRole && { role: null }),
    ...(clearExternalId && { external_id: null }),
  }
  if (Object.keys(patch).length === 0)
    throw new UsageError('There is nothing to change. Give at least one option with a new value.')
  const changed = await withServer(options, async (client, signal) => {
    const { group_id } = await getGroup(client, text, signal)
    // The patch does not depend on the current values, so a concurrent change is not a conflict.
    return client.groups.update(group_id, () => patch, { signal, dryRun, override })
  })
  await printOne(changed, options)
  tell(dryRun ? 'Nothing was changed. The group would be as shown.' : `Changed ${changed.name}.`)
}
