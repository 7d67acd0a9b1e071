import { type Command, InvalidArgumentError, Option } from 'commander'
import type { UserFilter } from '../client/index.ts'
import { examples } from './examples.ts'
import { addOutputOptions, type OutputOptions, printRows } from './output.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from './remote.ts'
import { put } from './standard-output.ts'
import { userColumns, userMembers } from './user-columns.ts'

const sorts = ['username', 'email', 'created_at', 'last_login_at'].flatMap((member) => [member, `-${member}`])
const longestPage = 1000

type Filters = {
  search?: string
  role?: string
  active?: true
  inactive?: true
  createdAfter?: string
  createdBefore?: string
  lastLoginAfter?: string
  lastLoginBefore?: string
  sort?: NonNullable<UserFilter['sort']>
}
type ListOptions = Filters & { limit?: number; count?: true }

export function addUsersList(users: Command): void {
  const list = users
    .command('list')
    .summary('list users, all of them or those who match')
    .description(
      'Lists users as they come, however many: nothing is kept in memory. All are of one moment. Conditions narrow it, and all of them must hold.',
    )
    .option('--search <text>', 'part of the username, e-mail or name')
    .option('--role <role>', 'of this role')
    .addOption(new Option('--active', 'who may sign in').conflicts('inactive'))
    .option('--inactive', 'who may not sign in')
    .option('--created-after <time>', 'RFC 3339, or a date', readTime)
    .option('--created-before <time>', 'likewise', readTime)
    .option('--last-login-after <time>', 'likewise', readTime)
    .option('--last-login-before <time>', 'likewise', readTime)
    .addOption(new Option('--sort <member>', 'order; - for descending (default: by id)').choices(sorts))
    .option('--limit <n>', 'at most so many', readLimit)
    .addOption(new Option('--count', 'say only how many there are').conflicts('limit'))
    .action(runList)
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
  const { limit } = options
  const query = queryOf(options)
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

function queryOf({ search, role, active, inactive, ...rest }: Filters): UserFilter {
  return {
    ...(search !== undefined && { q: search }),
    ...(role !== undefined && { role }),
    ...((active ?? inactive) && { active: active ?? false }),
    ...(rest.createdAfter !== undefined && { created_after: rest.createdAfter }),
    ...(rest.createdBefore !== undefined && { created_before: rest.createdBefore }),
    ...(rest.lastLoginAfter !== undefined && { last_login_after: rest.lastLoginAfter }),
    ...(rest.lastLoginBefore !== undefined && { last_login_before: rest.lastLoginBefore }),
    ...(rest.sort !== undefined && { sort: rest.sort }),
  }
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

/** A date alone is its first moment in UTC. */
export function readTime(text: string): string {
  const form = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/i
  const ms = form.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) throw new InvalidArgumentError('It must be a time such as 2026-01-31 or 2026-01-31T18:00:00Z.')
  return new Date(ms).toISOString()
}
