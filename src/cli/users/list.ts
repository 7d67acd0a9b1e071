import { type Command, Option } from 'commander'
import { rowMembers } from '../../directory/users/schema.ts'
import { grouped } from '../../lib/amounts.ts'
import type { DeletedUserFilter, RollbookClient, UserFilter } from '../../sdk/client/index.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import {
  addDeletedFilterOptions,
  addFilterOptions,
  addMembershipFilterOptions,
  type DeletedFilterOptions,
  deletedFilterOf,
  type FilterOptions,
  filterOf,
  withIds,
} from '../server/user-filter.ts'
import { examples } from '../terminal/examples.ts'
import { firstOf, readLimit } from '../terminal/limit.ts'
import { addOutputOptions, isTableOnTerminal, type OutputOptions, printRows } from '../terminal/output.ts'
import { throughPager } from '../terminal/pager.ts'
import { put, writeLine } from '../terminal/standard-output.ts'
import { userColumns } from './columns.ts'

const sorts = ['username', 'email', 'created_at', 'last_login_at'].flatMap((member) => [member, `-${member}`])
const deletedSorts = ['deleted_at', '-deleted_at', 'username', '-username']
const longestPage = 1000
const shownOnTerminal = 100

type ListOptions = FilterOptions & {
  sort?: NonNullable<UserFilter['sort']>
  limit?: number
  all?: true
  count?: true
  pager: boolean
}

export function addUsersList(users: Command): void {
  const list = users
    .command('list')
    .summary('list all users, or those that match conditions')
    .description(
      'Lists users from one consistent snapshot. Any number of users works, because rows are streamed. With several conditions, all of them must match. On a terminal a table shows the first 100, in $PAGER if they do not fit.',
    )
    .action(runList)
  addMembershipFilterOptions(addFilterOptions(list))
    .addOption(new Option('--sort <member>', 'sort order, descending with - (default: by id)').choices(sorts))
    .option('--limit <n>', 'at most this many', readLimit)
    .addOption(new Option('--all', 'all of them on a terminal too').conflicts('limit'))
    .option('--no-pager', 'do not use a pager on a terminal')
    .addOption(new Option('--count', 'print only the number of users').conflicts('limit'))
  examples(list, [
    ["rollbook users list --search 'lovelace ada'", 'search names and email addresses, in any order'],
    ['rollbook users list --in-group Support --never-signed-in', 'members of a group who have not signed in yet'],
    ['rollbook users list --disabled --output csv > disabled.csv', 'write a file for a spreadsheet'],
    [
      'rollbook users list --inactive-since 2026-01-01 --columns username,email',
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
    .description('Lists deleted users who can be restored, the latest deletion first unless sorted otherwise.')
    .action(runDeleted)
    .option('--search <text>', 'words of the username, email address, name or a searchable attribute')
    .option('--role <role>', 'users with this role')
  addDeletedFilterOptions(deleted)
    .addOption(
      new Option('--sort <member>', 'sort order, descending with - (default: -deleted_at)').choices(deletedSorts),
    )
    .addOption(new Option('--count', 'print only the number of users'))
  examples(deleted, [
    ['rollbook users deleted', 'show who can be restored, and until when'],
    ['rollbook users deleted --search lovelace --sort username', 'search names and email addresses'],
    ['rollbook users deleted --json --columns user_id,username', 'output for a program'],
  ])
  addOutputOptions(deleted, {
    all: [...rowMembers, 'deleted_at', 'restorable_until'],
    shown: ['user_id', 'username', 'email', 'deleted_at', 'restorable_until'],
  })
  addRemoteOptions(deleted)
}

async function runList(options: ListOptions & OutputOptions & RemoteOptions): Promise<void> {
  const { limit, sort } = options
  const list = () =>
    withServer(options, async (client, signal) => {
      const filter = await withIds(filterOf(options), client, signal)
      const query: UserFilter = { ...filter, ...(sort !== undefined && { sort }) }
      const suggest = (found: number) => suggestClosest(client, { found, search: options.search, signal })
      if (options.count) {
        const { total } = await client.users.page({ ...query, limit: 1, count: true }, { signal })
        await put(`${total}\n`)
        return suggest(total ?? 0)
      }
      if (limit === undefined && !options.all && isTableOnTerminal(options)) {
        const { users, total = 0 } = await client.users.page(
          { ...query, limit: shownOnTerminal, count: true },
          { signal },
        )
        await printRows(users, options, 'users')
        await suggest(total)
        if (total > users.length) await put(`… and ${grouped(total - users.length)} more: --limit <n>, --all\n`)
        return
      }
      if (limit !== undefined && limit <= longestPage) {
        const { users } = await client.users.page({ ...query, limit }, { signal })
        await printRows(users, options, 'users')
        return suggest(users.length)
      }
      const all = counted(client.users.list(query, { signal }))
      await printRows(limit === undefined ? all.rows : firstOf(all.rows, limit), options, 'users')
      await suggest(all.count())
    })
  await (options.pager && isTableOnTerminal(options) ? throughPager(list) : list())
}

/** Counts rows while they pass. */
function counted<Row>(rows: AsyncIterable<Row>): { rows: AsyncGenerator<Row>; count(): number } {
  let count = 0
  async function* pass(): AsyncGenerator<Row> {
    for await (const row of rows) {
      count++
      yield row
    }
  }
  return { rows: pass(), count: () => count }
}

type Searched = { found: number; search: string | undefined; signal: AbortSignal }

/** Says on stderr who may be meant by a search without results. */
async function suggestClosest(client: RollbookClient, { found, search, signal }: Searched): Promise<void> {
  if (found > 0 || search === undefined) return
  const closest = await client.users.closest(search, { signal })
  if (closest.length === 0) return
  const names = closest.map(({ first_name, last_name, username }) => {
    const name = `${first_name} ${last_name}`.trim()
    return name === '' ? username : `${name} (${username})`
  })
  writeLine(`Did you mean ${listed(names)}?`)
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}

type DeletedOptions = DeletedFilterOptions & {
  sort?: NonNullable<DeletedUserFilter['sort']>
  count?: true
}

async function runDeleted(options: DeletedOptions & OutputOptions & RemoteOptions): Promise<void> {
  const { sort, count } = options
  const query = { ...deletedFilterOf(options), ...(sort !== undefined && { sort }) }
  await withServer(options, async (client, signal) => {
    if (!count) return printRows(client.deletedUsers.list(query, { signal }), options, 'deleted users')
    const { total } = await client.deletedUsers.page({ ...query, limit: 1, count: true }, { signal })
    return put(`${total}\n`)
  })
}
