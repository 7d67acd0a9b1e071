import { type Command, Option } from 'commander'
import { organizationSchema } from '../../directory/organizations/schema.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { addOrganizationArgument, getOrganization } from '../server/find-organization.ts'
import { examples } from '../terminal/examples.ts'
import { UsageError } from '../terminal/failure.ts'
import { addOutputOptions, type OutputOptions, printOne, tell } from '../terminal/output.ts'
import {
  addOverrideOption,
  addWriteOptions,
  type OverrideOption,
  type WriteOptions,
} from '../terminal/write-options.ts'

type Members = { externalId?: string; secondFactor?: 'required' }
type CreateOptions = Members & WriteOptions & OutputOptions & RemoteOptions
type UpdateOptions = CreateOptions &
  OverrideOption & {
    name?: string
    disable?: true
    enable?: true
    clearExternalId?: true
    clearSecondFactor?: true
  }

function addMemberOptions(command: Command): Command {
  return command
    .option('--external-id <id>', 'id of the organization in another system')
    .addOption(
      new Option('--second-factor <policy>', 'its users need a second factor, whatever the policy says').choices([
        'required',
      ]),
    )
}

function membersOf({ externalId, secondFactor }: Members) {
  return {
    ...(externalId !== undefined && { external_id: externalId }),
    ...(secondFactor !== undefined && { second_factor: secondFactor }),
  }
}

export function addOrganizationsCreate(organizations: Command): void {
  const create = organizations
    .command('create')
    .summary('create an organization')
    .description('Creates an organization to which nothing belongs yet, and shows the result.')
    .argument('<name>', 'unique; upper and lower case do not matter')
    .action(runCreate)
  addMemberOptions(create)
  examples(create, [
    ['rollbook organizations create Acme --external-id crm-4711', 'an organization with an id of your own'],
    ['rollbook organizations create Acme --second-factor required', 'its users need a second factor'],
  ])
  addWriteOptions(create)
  addOutputOptions(create, organizationSchema.required)
  addRemoteOptions(create)
}

async function runCreate(name: string, options: CreateOptions): Promise<void> {
  const { dryRun = false } = options
  const input = { name, ...membersOf(options) }
  const created = await withServer(options, (client, signal) => client.organizations.create(input, { signal, dryRun }))
  await printOne(created, options)
  tell(dryRun ? 'Nothing was created. The organization would be as shown.' : `Created ${created.name}.`)
}

export function addOrganizationsUpdate(organizations: Command): void {
  const update = organizations
    .command('update')
    .summary('change an organization')
    .description('Changes the given members of an organization and shows the result.')
    .action(runUpdate)
  addOrganizationArgument(update).option('--name <name>', 'new name')
  addMemberOptions(update)
    .addOption(new Option('--disable', 'none of its users can sign in').conflicts('enable'))
    .option('--enable', 'its users can sign in again')
    .addOption(new Option('--clear-external-id', 'remove the external id').conflicts('externalId'))
    .addOption(
      new Option('--clear-second-factor', 'only the policy says who needs a second factor').conflicts('secondFactor'),
    )
  examples(update, [
    ['rollbook organizations update Acme --disable --dry-run', 'check whether it is allowed'],
    ['rollbook organizations update Acme --name "Acme Inc."', 'rename an organization'],
  ])
  addOverrideOption(update, 'an organization')
  addWriteOptions(update)
  addOutputOptions(update, organizationSchema.required)
  addRemoteOptions(update)
}

async function runUpdate(text: string, options: UpdateOptions): Promise<void> {
  const { name, disable, enable, clearExternalId, clearSecondFactor, dryRun = false, override } = options
  const patch = {
    ...membersOf(options),
    ...(name !== undefined && { name }),
    ...((disable || enable) && { active: enable === true }),
    ...(clearExternalId && { external_id: null }),
    ...(clearSecondFactor && { second_factor: null }),
  }
  if (Object.keys(patch).length === 0)
    throw new UsageError('There is nothing to change. Give at least one option with a new value.')
  const changed = await withServer(options, async (client, signal) => {
    const { organization_id } = await getOrganization(client, text, signal)
    // The patch does not depend on the current values, so a concurrent change is not a conflict.
    return client.organizations.update(organization_id, () => patch, { signal, dryRun, override })
  })
  await printOne(changed, options)
  tell(dryRun ? 'Nothing was changed. The organization would be as shown.' : `Changed ${changed.name}.`)
}
