/** `rollbook audit list` and `tail`, which use the API. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import type { AuditFilter, AuditRecord, RollbookClient } from '../../sdk/client/index.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { getOrganization } from '../server/find-organization.ts'
import { findParty } from '../server/find-party.ts'
import { isUserId as isUuid } from '../server/find-user.ts'
import { examples } from '../terminal/examples.ts'
import { notFound } from '../terminal/failure.ts'
import { firstOf, readLimit } from '../terminal/limit.ts'
import { addOutputOptions, type OutputOptions, printRows } from '../terminal/output.ts'
import { auditColumns, changeColumns, rowOf } from './columns.ts'

const longestPage = 1000
const pollMs = 1000

type FilterOptions = {
  user?: string
  actor?: string
  action?: string[]
  outcome?: NonNullable<AuditFilter['outcome']>
  changed?: string
  target?: string
  organization?: string
  request?: string
}
type ListOptions = FilterOptions & { since?: string; until?: string; oldestFirst?: true; limit?: number }
type TailOptions = FilterOptions & { lines: number }

export function addAuditList(audit: Command): void {
  const list = audit
    .command('list')
    .summary('list audit records, the newest first')
    .description('Lists audit records, the newest first. With several conditions, all of them must match.')
    .action(runList)
  addFilters(list)
    .option('--since <instant>', 'only records after this time, such as 2026-11-01T00:00:00Z')
    .option('--until <instant>', 'only records before this time')
    .option('--oldest-first', 'list the oldest records first')
    .option('--limit <n>', 'at most this many', readLimit)
  examples(list, [
    ['rollbook audit list --user ada --limit 20', 'show the latest changes to a user'],
    ['rollbook audit list --changed role --limit 20', 'show who changed roles'],
    ['rollbook audit list --action "key.*" --since 2026-11-01T00:00:00Z', 'show changes of keys since November 1'],
  ])
  addOutputOptions(list, auditColumns)
  addRemoteOptions(list)
}

export function addAuditTail(audit: Command): void {
  const tail = audit
    .command('tail')
    .summary('follow audit records')
    .description(
      'Shows the latest audit records and then each new one within two seconds, until you interrupt it. With several conditions, all of them must match.',
    )
    .action(runTail)
  addFilters(tail).option('-n, --lines <n>', 'how many existing records to show first (default: 10)', readLines, 10)
  examples(tail, [
    ['rollbook audit tail', 'follow all records'],
    ['rollbook audit tail --outcome denied --output ndjson', 'follow refused requests, for a program'],
  ])
  addOutputOptions(tail, auditColumns)
  addRemoteOptions(tail)
}

function addFilters(command: Command): Command {
  return command
    .option('--user <user>', 'only records about this user: id, username or email address')
    .option('--actor <who>', 'only actions of this user, key or service: id or name')
    .option('--action <words>', 'only these actions, such as user.updated,key.*', (text) =>
      text.split(',').map((word) => word.trim()),
    )
    .addOption(new Option('--outcome <outcome>', 'only this outcome').choices(['success', 'failure', 'denied']))
    .option(
      '--changed <member>',
      'only changes of this member, such as role or password, with the values before and after',
    )
    .option('--target <what>', 'only records about this user, group, key or connection: id or name')
    .option('--organization <organization>', 'only records of what belongs to this organization: its id or name')
    .option('--request <id>', 'only records of the request with this X-Request-Id')
}

async function runList(options: ListOptions & OutputOptions & RemoteOptions): Promise<void> {
  const { since, until, oldestFirst, limit } = options
  await withServer(options, async (client, signal) => {
    const filter: AuditFilter = {
      ...(await filterOf(client, options, signal)),
      ...(since !== undefined && { occurred_after: since }),
      ...(until !== undefined && { occurred_before: until }),
      sort: oldestFirst ? 'seq' : '-seq',
    }
    const records = rowsOf(await recordsOf(client, filter, limit, signal), options)
    await printRows(records, withChanges(options), 'records')
  })
}

async function recordsOf(
  client: RollbookClient,
  filter: AuditFilter,
  limit: number | undefined,
  signal: AbortSignal,
): Promise<AsyncIterable<AuditRecord> | AuditRecord[]> {
  if (limit === undefined) return client.audit.list(filter, { signal })
  if (limit > longestPage) return firstOf(client.audit.list(filter, { signal }), limit)
  return (await client.audit.page({ ...filter, limit }, { signal })).records
}

async function runTail(options: TailOptions & OutputOptions & RemoteOptions): Promise<void> {
  await withServer(options, async (client, signal) => {
    const filter = await filterOf(client, options, signal)
    await printRows(rowsOf(follow(client, filter, options.lines, signal), options), withChanges(options), undefined)
  })
}

/** Yields the latest records and then new ones, in their order. */
async function* follow(
  client: RollbookClient,
  filter: AuditFilter,
  lines: number,
  signal: AbortSignal,
): AsyncGenerator<AuditRecord> {
  const query = { ...filter, sort: '-seq' } as const
  const { records: present } = await client.audit.page({ ...query, limit: Math.max(1, lines) }, { signal })
  let seen = present[0]?.seq ?? 0
  yield* lines === 0 ? [] : present.toReversed()
  for (;;) {
    await sleep(pollMs, undefined, { signal })
    const news = await newsAfter(client, query, seen, signal)
    yield* news
    seen = news.at(-1)?.seq ?? seen
  }
}

/** Returns the records after `seen`. Starts with a small page, because there are usually few. */
async function newsAfter(
  client: RollbookClient,
  query: AuditFilter,
  seen: number,
  signal: AbortSignal,
): Promise<AuditRecord[]> {
  const news: AuditRecord[] = []
  let cursor: string | undefined
  do {
    const page = { ...query, limit: cursor === undefined ? 20 : longestPage, ...(cursor !== undefined && { cursor }) }
    const { records, next } = await client.audit.page(page, { signal })
    const fresh = records.filter(({ seq }) => seq > seen)
    news.push(...fresh)
    cursor = fresh.length === records.length ? next : undefined
  } while (cursor !== undefined)
  return news.reverse()
}

async function filterOf(client: RollbookClient, options: FilterOptions, signal: AbortSignal): Promise<AuditFilter> {
  const { user, actor, action, outcome, changed, target, organization, request } = options
  const id = user === undefined ? undefined : await findParty(client, user, signal, ['user'])
  if (user !== undefined && id === undefined) throw notFound('user', user, 'users list')
  // What no longer exists is found by its id, and some actors have only an id, such as `system`.
  const about = id ?? (target && ((await findParty(client, target, signal)) ?? target))
  const by = actor && ((await findParty(client, actor, signal, ['user', 'key'])) ?? actor)
  return {
    ...(about !== undefined && { target: about }),
    ...(by !== undefined && { actor: by }),
    ...(organization !== undefined && { organization: await organizationIdOf(client, organization, signal) }),
    ...(action !== undefined && { action }),
    ...(outcome !== undefined && { outcome }),
    ...(changed !== undefined && { changed }),
    ...(request !== undefined && { request_id: request }),
  }
}

/** Records outlive an organization, so its id is not looked up. */
async function organizationIdOf(client: RollbookClient, text: string, signal: AbortSignal): Promise<string> {
  return isUuid(text) ? text.toLowerCase() : (await getOrganization(client, text, signal)).organization_id
}

/** Shows the change itself where a member was named. */
function withChanges<Options extends FilterOptions & OutputOptions>(options: Options): Options {
  return options.changed === undefined ? options : { ...options, known: changeColumns }
}

async function* rowsOf(records: AsyncIterable<AuditRecord> | Iterable<AuditRecord>, options: OutputOptions) {
  for await (const record of records) yield rowOf(record, options)
}

function readLines(text: string): number {
  return text === '0' ? 0 : Math.min(longestPage, readLimit(text))
}
