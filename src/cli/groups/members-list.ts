import { type Command, Option } from 'commander'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { addGroupArgument, getGroup } from '../server/find-group.ts'
import { addFilterOptions, type FilterOptions, filterOf } from '../server/user-filter.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printRows } from '../terminal/output.ts'
import { put } from '../terminal/standard-output.ts'
import { userColumns } from '../users/columns.ts'

type Options = FilterOptions & { count?: true } & OutputOptions & RemoteOptions

export function addGroupsMembers(groups: Command): void {
  const members = groups
    .command('members')
    .summary('list the members of a group')
    .description(
      'Lists the members of a group, from one consistent snapshot. With several conditions, all of them must match.',
    )
    .action(runMembers)
  addGroupArgument(members)
  addFilterOptions(members).addOption(new Option('--count', 'print only the number of members'))
  examples(members, [
    ['rollbook groups members Support', 'list all members'],
    ['rollbook groups members Support --disabled --output csv > disabled.csv', 'write a file for a spreadsheet'],
    [
      "rollbook groups members Support --template '{{user_id}}' > ids.txt",
      'write the ids, for example to add them to another group',
    ],
  ])
  addOutputOptions(members, userColumns)
  addRemoteOptions(members)
}

async function runMembers(text: string, options: Options): Promise<void> {
  await withServer(options, async (client, signal) => {
    const { group_id } = await getGroup(client, text, signal)
    const query = filterOf(options)
    if (!options.count) return printRows(client.groups.members(group_id, query, { signal }), options, 'members')
    const { total } = await client.groups.membersPage(group_id, { ...query, limit: 1, count: true }, { signal })
    return put(`${total}\n`)
  })
}
