import { type Command, Option } from 'commander'
import { groupSchema, groupSorts } from '../../administration/groups/schema.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { addGroupArgument, getGroup } from '../server/find-group.ts'
import { findUser } from '../server/find-user.ts'
import { examples } from '../terminal/examples.ts'
import { notFound } from '../terminal/failure.ts'
import { addOutputOptions, type OutputOptions, printOne, printRows } from '../terminal/output.ts'
import { groupColumns } from './columns.ts'

const sorts = groupSorts.flatMap((sort) => [sort, `-${sort}`] as const)

type ListOptions = { search?: string; role?: string; user?: string; sort?: (typeof sorts)[number] } & OutputOptions &
  RemoteOptions

export function addGroupsList(groups: Command): void {
  const list = groups
    .command('list')
    .summary('list all groups, or those that match conditions')
    .description('Lists groups. With several conditions, all of them must match.')
    .action(runList)
    .option('--search <text>', 'words of the name, or an id')
    .option('--role <role>', 'groups with this role')
    .addOption(
      new Option('--user <user>', 'groups of this user: id, username or email address').conflicts([
        'search',
        'role',
        'sort',
      ]),
    )
    .addOption(new Option('--sort <member>', 'sort order, descending with - (default: name)').choices(sorts))
  examples(list, [
    ["rollbook groups list --search 'south sales'", 'find groups by words of their name, in any order'],
    ['rollbook groups list --role admin', 'find the groups that make administrators'],
    ['rollbook groups list --user ada', "show a user's groups"],
    ['rollbook groups list --sort=-member_count --json name,member_count', 'the largest first, for a program'],
  ])
  addOutputOptions(list, groupColumns)
  addRemoteOptions(list)
}

async function runList(options: ListOptions): Promise<void> {
  const { search, role, sort, user } = options
  await withServer(options, async (client, signal) => {
    if (user !== undefined) {
      const found = await findUser(client, user, undefined, { signal })
      if (found === undefined) throw notFound('user', user, 'users list')
      return printRows(await client.groups.listOf(found.user_id, { signal }), options, 'groups')
    }
    const query = {
      ...(search !== undefined && { q: search }),
      ...(role !== undefined && { role }),
      ...(sort !== undefined && { sort }),
    }
    return printRows(client.groups.list(query, { signal }), options, 'groups')
  })
}

export function addGroupsGet(groups: Command): void {
  const get = groups
    .command('get')
    .alias('show')
    .summary('show a group')
    .description('Shows a group. The exit code is 3 if there is no such group.')
    .action(async (group: string, options: OutputOptions & RemoteOptions) => {
      await printOne(await withServer(options, (client, signal) => getGroup(client, group, signal)), options)
    })
  addGroupArgument(get)
  examples(get, [
    ['rollbook groups get Support', 'by name; an id works too'],
    ["rollbook groups get Support --template '{{member_count}}'", 'print only how many members it has'],
  ])
  addOutputOptions(get, groupSchema.required)
  addRemoteOptions(get)
}
