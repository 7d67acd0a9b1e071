import { type Command, InvalidArgumentError, Option } from 'commander'
import type { UserFilter } from '../../sdk/client/index.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { addFilterOptions, type FilterOptions, filterOf } from '../server/user-filter.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printRows } from '../terminal/output.ts'
import { put } from '../terminal/standard-output.ts'
import { userColumns, userMembers } from './columns.ts'

const sorts = ['username', 'email', 'created_at', 'last_login_at'].flatMap((member) => [member, `-${member}`])
const longestPage = 1000

type ListOptions = FilterOptions & { sort?: NonNullable<UserFilter['sort']>; limit?: number; count?: true }

export function addUsersList(users: Command): void {
  const list = users
    .command('list')
    .summary('list users, all of them or those who match')
    .description(
      'Lists users as they come, however many: nothing is kept in memory. All are of one moment. Conditions narrow it, and all of them must hold.',
    )
    .action(runList)
  addFilterOptions(list)
    .addOption(new Option('--sort <member>', 'order; - for descending (default: by id)').choices(sorts))
    .option('--limit <n>', 'at most so many', readLimit)
    .addOption(new Option('--count', 'say only how many there are').conflicts('limit'))
  examples(list, [
    ['rollbook users list --search lovelace', 'who has this in the name or the e-mail'],
    ['rollbook users list --inactive --output csv > inactive.csv', 'for a spreadsheet'],
    ['rollbook users list --last-login-before 2026-01-01 --columns username,email', 'who has not been here'],
  ])
  addOutputOptions(list, userColumns)
  addRemoteOptions(list)
}

export function addUsersDeleted(users: Command): void {
  const deleted = users
    .command('deleted')
    .summary('list deleted users who can be restored')
    .description('Lists users who were deleted and can be restored, the last to be deleted first.')
    .action(runDeleted)
  examples(deleted, [
    ['rollbook users deleted', 'who, when, and until when they can be restored'],
    ['rollbook users deleted --json --columns user_id,username', 'for a program'],
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

async function* firstOf<T>(rows: AsyncIterable<T>, limit: number): AsyncGenerator<T> {
  let count = 0
  for await (const row of rows) {
    yield row
    count += 1
    if (count === limit) return
  }
}

function readLimit(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a number from 1 on.')
}
