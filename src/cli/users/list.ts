import { type Command, Option } from 'commander'
import type { UserFilter } from '../../sdk/client/index.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { addFilterOptions, type FilterOptions, filterOf } from '../server/user-filter.ts'
import { examples } from '../terminal/examples.ts'
import { firstOf, readLimit } from '../terminal/limit.ts'
import { addOutputOptions, type OutputOptions, printRows } from '../terminal/output.ts'
import { put } from '../terminal/standard-output.ts'
import { userColumns, userMembers } from './columns.ts'

const sorts = ['username', 'email', 'created_at', 'last_login_at'].flatMap((member) => [member, `-${member}`])
const longestPage = 1000

type ListOptions = FilterOptions & { sort?: NonNullable<UserFilter['sort']>; limit?: number; count?: true }

export function addUsersList(users: Command): void {
  const list = users
    .command('list')
    .summary('list all users, or those who match conditions')
    .description(
      'Lists users from one consistent snapshot. Any number of users works, because rows are streamed. With several conditions, all of them must match.',
    )
    .action(runList)
  addFilterOptions(list)
    .addOption(new Option('--sort <member>', 'sort order, descending with - (default: by id)').choices(sorts))
    .option('--limit <n>', 'at most this many', readLimit)
    .addOption(new Option('--count', 'print only the number of users').conflicts('limit'))
  examples(list, [
    ['rollbook users list --search lovelace', 'search names and email addresses'],
    ['rollbook users list --inactive --output csv > inactive.csv', 'write a file for a spreadsheet'],
    [
      'rollbook users list --last-login-before 2026-01-01 --columns username,email',
      'find users who have not signed in this year',
    ],
  ])
  addOutputOptions(list, userColumns)
  addRemoteOptions(list)
}

export function addUsersDeleted(users: Command): void {
  const deleted = users
    .command('deleted')
    .summary('list deleted users who can be restored')
    .description('Lists deleted users who can be restored, the latest deletion first.')
    .action(runDeleted)
  examples(deleted, [
    ['rollbook users deleted', 'show who can be restored, and until when'],
    ['rollbook users deleted --json --columns user_id,username', 'output for a program'],
  ])
  addOutputOptions(deleted, {
    all: [...userMembers, 'deleted_at', 'restorable_until'],
    shown: ['user_id', 'username', 'email', 'deleted_at', 'restorable_until'],
  })
  addRemoteOptions(deleted)
}

async function runList(options: ListOptions & OutputOptions & RemoteOptions): Promise<void> {
  const { limit, sort } = options
  const query: UserFilter = { ...filterOf(options), ...(sort !== undefined && { sort }) }
  await withServer(options, async (client, signal) => {
    if (options.count) {
      const { total } = await client.users.page({ ...query, limit: 1, count: true }, { signal })
      return put(`${total}\n`)
    }
    if (limit === undefined) return printRows(client.users.list(query, { signal }), options)
    if (limit > longestPage) return printRows(firstOf(client.users.list(query, { signal }), limit), options)
    return printRows((await client.users.page({ ...query, limit }, { signal })).users, options)
  })
}

async function runDeleted(options: OutputOptions & RemoteOptions): Promise<void> {
  await withServer(options, (client, signal) => printRows(client.deletedUsers.list({ signal }), options))
}
