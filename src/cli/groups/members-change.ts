/** `rollbook groups add` and `rollbook groups remove`. */
import { type Command, Option } from 'commander'
import { changedAtOnce } from '../../administration/groups/schema.ts'
import { counted } from '../../lib/amounts.ts'
import type { ChangedGroupMembers, Group, RollbookClient } from '../../sdk/client/index.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { addGroupArgument, getGroup } from '../server/find-group.ts'
import { type FindOptions, ways } from '../server/find-user.ts'
import { findLive, type Ids, readNames } from '../server/find-users.ts'
import { examples } from '../terminal/examples.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failed, UsageError } from '../terminal/failure.ts'
import { addOutputOptions, type OutputOptions, printRows, tell } from '../terminal/output.ts'
import { type Progress, withProgress } from '../terminal/progress.ts'
import { addWriteOptions, confirm, type WriteOptions } from '../terminal/write-options.ts'
import { addEndDateOptions, type EndDateOptions, endDateOf } from '../users/end-date-options.ts'

type Action = 'add' | 'remove'
type Options = FindOptions & { fromFile?: string; clearExpires?: boolean } & EndDateOptions &
  WriteOptions &
  OutputOptions &
  RemoteOptions

type Row = { user: string | null; user_id: string | null; result: string; code?: string; detail?: string }

const wordings = {
  add: { doing: 'Adding', done: 'added', ask: (users: string, group: string) => `Add ${users} to ${group}?` },
  remove: {
    doing: 'Removing',
    done: 'removed',
    ask: (users: string, group: string) => `Remove ${users} from ${group}?`,
  },
} as const

export function addGroupsAdd(groups: Command): void {
  const add = groups
    .command('add')
    .summary('add users to a group')
    .description(
      "Adds users to a group. They have the group's role at once, until --expires or --expires-in if given. Users who are members already stay so; an end date is set for them as well. With more than one user, asks first, unless --yes is given. The exit code is 6 if some were refused.",
    )
  examples(add, [
    ['rollbook groups add Support ada bob@example.com', 'by username or email address; ids work too'],
    ['rollbook groups add Support ada --expires 2026-12-31', 'end the membership with this day, in UTC'],
    ['rollbook groups add Support ada --clear-expires', 'remove the end date of a membership'],
    ['rollbook groups add Support --from-file ids.txt --by id --dry-run', 'check a file with one id per line'],
    [
      "rollbook users list --role admin --template '{{user_id}}' | rollbook groups add Staff --from-file - --yes",
      'add all who match a condition',
    ],
  ])
  addEndDateOptions(add).addOption(
    new Option('--clear-expires', 'remove the end dates of the memberships').conflicts(['expires', 'expiresIn']),
  )
  addChangeOptions(add, 'add')
}

export function addGroupsRemove(groups: Command): void {
  const remove = groups
    .command('remove')
    .summary('remove users from a group')
    .description(
      'Removes users from a group. They lose what they held through the group at once, and stay users. With more than one user, asks first, unless --yes is given. The exit code is 6 if some were refused.',
    )
  examples(remove, [
    ['rollbook groups remove Support ada', 'remove a member'],
    ['rollbook groups remove Support --from-file leavers.txt --dry-run', 'check a file with one name per line'],
  ])
  addChangeOptions(remove, 'remove')
}

function addChangeOptions(command: Command, action: Action): void {
  addGroupArgument(command)
    .argument('[users...]', 'ids, usernames or email addresses')
    .option('--from-file <file>', 'read one user per line; - is standard input')
    .addOption(new Option('--by <what>', 'what the users are; required for external ids').choices(ways))
    .action((group: string, users: string[], options: Options) => run(action, group, users, options))
  addWriteOptions(command)
  addOutputOptions(command, {
    all: ['user', 'user_id', 'result', 'code', 'detail'],
    shown: ['user', 'result', 'detail'],
  })
  addRemoteOptions(command)
}

async function run(action: Action, text: string, named: readonly string[], options: Options): Promise<void> {
  const { fromFile, dryRun = false, yes } = options
  const end = options.clearExpires ? { expires_at: null } : endDateOf(options)
  const words = wordings[action]
  if (fromFile === '-' && !yes && !dryRun)
    throw new UsageError(
      'Standard input is used for the users, so it cannot ask for confirmation. Give --yes to confirm.',
    )
  const names = [...new Set([...named, ...(fromFile === undefined ? [] : await readNames(fromFile))])]
  if (names.length === 0) throw new UsageError('Give users, or --from-file with a file that has one user per line.')
  await withServer(options, async (client, signal) => {
    const group = await getGroup(client, text, signal)
    const by = options.by === undefined ? {} : { by: options.by }
    const found = await withProgress({ label: 'Looking up', counting: 'user' }, (progress) =>
      findLive(names, { client, signal, progress, ...by }),
    )
    if (found.ids.length > 1) await confirm(words.ask(counted(found.ids.length, 'user'), group.name), options)
    const work = { client, signal, group, action, dryRun, end }
    const rows = await withProgress({ label: dryRun ? 'Checking' : words.doing, counting: 'user' }, (progress) =>
      change(work, names, found, progress),
    )
    await printRows(rows, options, undefined)
    const count = (result: string) => rows.filter((row) => row.result === result).length
    const done = `${counted(count(words.done), 'user')} ${dryRun ? 'would be ' : ''}${words.done}`
    const dated = count('changed') === 0 ? '' : ` ${count('changed')} with another end date,`
    tell(`${group.name}: ${done},${dated} ${count('unchanged')} unchanged, ${count('refused')} refused.`)
    if (dryRun) tell('Nothing was changed.')
    if (count('refused') > 0)
      throw new Failed(`${counted(count('refused'), 'user')} refused.`, exitCodes.someRowsFailed)
  })
}

type Work = {
  client: RollbookClient
  signal: AbortSignal
  group: Group
  action: Action
  dryRun: boolean
  end: { expires_at?: string | null }
}

/** Changes up to 1,000 members in each request. */
async function change(
  { client, signal, group, action, dryRun, end }: Work,
  names: readonly string[],
  { ids, missing }: Ids,
  progress: Progress | undefined,
): Promise<Row[]> {
  const unknown = { user_id: null, result: 'refused', code: 'user_not_found', detail: 'There is no such user.' }
  const rows: Row[] = missing.map((user) => ({ user, ...unknown }))
  // The names in the order of their ids: those that were found.
  const missed = new Set(missing)
  const called = names.filter((name) => !missed.has(name))
  for (let from = 0; from < ids.length; from += changedAtOnce) {
    const part = ids.slice(from, from + changedAtOnce)
    const response: ChangedGroupMembers = await client.groups.changeMembers(
      group.group_id,
      { [action]: part, ...end },
      { signal, dryRun },
    )
    for (const [i, { user_id, result, code, detail }] of response.results.entries()) {
      const user = ids.length === called.length ? (called[from + i] ?? null) : null
      rows.push({ user, user_id, result, ...(code !== undefined && { code }), ...(detail !== undefined && { detail }) })
    }
    progress?.update(from + part.length, ids.length)
  }
  return rows
}
