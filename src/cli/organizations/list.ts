import { type Command, Option } from 'commander'
import { organizationSchema, organizationSorts } from '../../directory/organizations/schema.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { addOrganizationArgument, getOrganization } from '../server/find-organization.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printOne, printRows } from '../terminal/output.ts'

const sorts = organizationSorts.flatMap((sort) => [sort, `-${sort}`] as const)

type ListOptions = { search?: string; disabled?: true; sort?: (typeof sorts)[number] } & OutputOptions & RemoteOptions

export function addOrganizationsList(organizations: Command): void {
  const list = organizations
    .command('list')
    .summary('list all organizations, or those that match conditions')
    .description('Lists organizations. With several conditions, all of them must match.')
    .action(runList)
    .option('--search <text>', 'words of the name, or an id')
    .option('--disabled', 'organizations that are disabled')
    .addOption(new Option('--sort <member>', 'sort order, descending with - (default: name)').choices(sorts))
  examples(list, [
    ["rollbook organizations list --search 'acme north'", 'find organizations by words of their name, in any order'],
    ['rollbook organizations list --disabled --json name,user_count', 'output for a program'],
  ])
  addOutputOptions(list, {
    all: organizationSchema.required,
    shown: ['organization_id', 'name', 'active', 'user_count', 'group_count', 'external_id'],
  })
  addRemoteOptions(list)
}

async function runList(options: ListOptions): Promise<void> {
  const { search, disabled, sort } = options
  const query = {
    ...(search !== undefined && { q: search }),
    ...(disabled && { active: false }),
    ...(sort !== undefined && { sort }),
  }
  await withServer(options, (client, signal) =>
    printRows(client.organizations.list(query, { signal }), options, 'organizations'),
  )
}

export function addOrganizationsGet(organizations: Command): void {
  const get = organizations
    .command('get')
    .alias('show')
    .summary('show an organization')
    .description('Shows an organization. The exit code is 3 if there is no such organization.')
    .action((text: string, options: OutputOptions & RemoteOptions) =>
      withServer(options, async (client, signal) => {
        await printOne(await getOrganization(client, text, signal), options)
      }),
    )
  addOrganizationArgument(get)
  examples(get, [
    ['rollbook organizations get Acme', 'by name; an id works too'],
    ["rollbook organizations get Acme --template '{{user_count}}'", 'print only how many users it has'],
  ])
  addOutputOptions(get, organizationSchema.required)
  addRemoteOptions(get)
}
