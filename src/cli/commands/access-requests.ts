/** `rollbook access-requests`: people who ask for access, and the decisions about them. */
import { type Command, Option } from 'commander'
import { accessRequestSchema } from '../../access/sign-in/access-requests/schema.ts'
import { counted } from '../../lib/amounts.ts'
import type { AccessRequest, RollbookClient } from '../../sdk/client/index.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { getGroup } from '../server/find-group.ts'
import { isUserId as isUuid } from '../server/find-user.ts'
import { examples } from '../terminal/examples.ts'
import { notFound } from '../terminal/failure.ts'
import { firstOf, readLimit } from '../terminal/limit.ts'
import { addOutputOptions, type OutputOptions, printRows, tell } from '../terminal/output.ts'
import { addWriteOptions, confirm, type WriteOptions } from '../terminal/write-options.ts'
import { addEndDateOptions, type EndDateOptions, endDateOf } from '../users/end-date-options.ts'

const members = accessRequestSchema.required
const needsSetting = 'The service needs the setting ROLLBOOK_ACCESS_REQUESTS=on, which is off by default.'
const shownColumns = ['email', 'first_name', 'last_name', 'state', 'reason', 'created_at']
const states = ['waiting', 'approved', 'declined', 'expired'] as const satisfies AccessRequest['state'][]

type ReadOptions = OutputOptions & RemoteOptions
type ListOptions = ReadOptions & { state?: AccessRequest['state']; all?: true; search?: string; limit?: number }

export function addAccessRequests(program: Command): void {
  const requests = program
    .command('access-requests')
    .summary('list people who ask for access, and decide about them')
    .description(
      `Lists requests for access, and approves or declines them. A request is named by its id or its address. ${needsSetting}`,
    )
  examples(requests, [
    ['rollbook access-requests list', 'show who waits'],
    ['rollbook access-requests approve ada@example.com --role support', 'create the user and send an invitation'],
  ])
  addList(requests)
  addApprove(requests)
  addDecline(requests)
}

function addList(requests: Command): void {
  const list = requests
    .command('list')
    .summary('list requests for access')
    .description(
      `Lists the requests that wait for a decision, the newest first; with --state or --all also others. ${needsSetting}`,
    )
    .addOption(new Option('--state <state>', 'only requests in this state (default: waiting)').choices(states))
    .option('--all', 'requests in every state')
    .option('--search <text>', 'only requests with these words in the address, the name or the reason')
    .option('--limit <n>', 'at most this many', readLimit)
    .action(runList)
  examples(list, [
    ['rollbook access-requests list', 'show who waits'],
    ['rollbook access-requests list --all --output csv', 'every request, for a spreadsheet'],
  ])
  addOutputOptions(list, { all: members, shown: shownColumns })
  addRemoteOptions(list)
}

async function runList({ state, all, search, limit, ...options }: ListOptions): Promise<void> {
  const wanted = state ?? (all ? undefined : 'waiting')
  await withServer(options, async (client, signal) => {
    const query = { ...(wanted !== undefined && { state: wanted }), ...(search !== undefined && { q: search }) }
    const rows = client.accessRequests.list(query, { signal })
    await printRows(limit === undefined ? rows : firstOf(rows, limit), options, 'requests')
  })
}

type ApproveOptions = ReadOptions &
  WriteOptions &
  EndDateOptions & { role?: string; group?: string[]; username?: string }

function addApprove(requests: Command): void {
  const approve = requests
    .command('approve')
    .summary('approve requests: create the users and invite them')
    .description(
      `Approves requests. Each user is created with the role and the groups, and gets an invitation by email, or a message that says which company they sign in with. ${needsSetting}`,
    )
    .argument('<requests...>', 'ids or addresses')
    .option('--role <role>', 'the role of the new users (default: user)')
    .option('--group <group...>', 'groups of the new users: ids or names')
    .option('--username <name>', 'the username, for one request (default: the address)')
    .action(runApprove)
  addEndDateOptions(approve)
  examples(approve, [
    ['rollbook access-requests approve ada@example.com', 'with the role user'],
    ['rollbook access-requests approve ada@example.com grace@example.com --group Staff --yes', 'two, without asking'],
  ])
  addWriteOptions(approve)
  addOutputOptions(approve, { all: members, shown: ['email', 'state', 'user_id'] })
  addRemoteOptions(approve)
}

async function runApprove(named: string[], options: ApproveOptions): Promise<void> {
  const { role, username, group = [], dryRun = false } = options
  const { expires_at: access_expires_at } = endDateOf(options)
  await withServer(options, async (client, signal) => {
    const found = await findAll(client, named, signal)
    const groups = await Promise.all(group.map(async (one) => (await getGroup(client, one, signal)).group_id))
    const approval = {
      ...(role !== undefined && { role }),
      ...(username !== undefined && { username }),
      ...(groups.length > 0 && { groups }),
      ...(access_expires_at !== undefined && { access_expires_at }),
    }
    await confirm(`Approve ${whichOf(found)}, with the role ${role ?? 'user'}?`, options)
    const decide = (one: AccessRequest) => client.accessRequests.approve(one.request_id, approval, { signal, dryRun })
    await printRows(inTurn(found, decide), options, 'requests')
    tell(dryRun ? 'Nothing was changed.' : `Approved ${counted(found.length, 'request')}.`)
  })
}

type DeclineOptions = ReadOptions & WriteOptions & { reason?: string }

function addDecline(requests: Command): void {
  const decline = requests
    .command('decline')
    .summary('decline requests')
    .description(`Declines requests. Each person gets a message with the reason. ${needsSetting}`)
    .argument('<requests...>', 'ids or addresses')
    .option('--reason <text>', 'why; the message to the people quotes it')
    .action(runDecline)
  examples(decline, [
    ['rollbook access-requests decline eve@example.com --reason "Only for staff"', 'decline, and say why'],
    ['rollbook access-requests decline eve@example.com --dry-run', 'check whether it can be declined'],
  ])
  addWriteOptions(decline)
  addOutputOptions(decline, { all: members, shown: ['email', 'state', 'decline_reason'] })
  addRemoteOptions(decline)
}

async function runDecline(named: string[], options: DeclineOptions): Promise<void> {
  const { reason, dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const found = await findAll(client, named, signal)
    await confirm(`Decline ${whichOf(found)}?`, options)
    const decide = (one: AccessRequest) => client.accessRequests.decline(one.request_id, reason, { signal, dryRun })
    await printRows(inTurn(found, decide), options, 'requests')
    tell(dryRun ? 'Nothing was changed.' : `Declined ${counted(found.length, 'request')}.`)
  })
}

/** Prints what was decided even if a later one is refused. */
async function* inTurn<Row, Done>(rows: readonly Row[], decide: (row: Row) => Promise<Done>): AsyncGenerator<Done> {
  for (const row of rows) yield await decide(row)
}

function whichOf(found: readonly AccessRequest[]): string {
  return found.length === 1 ? `the request of ${found[0]?.email}` : counted(found.length, 'request')
}

/** All of them before the first is decided. @throws Failed for an unknown one */
async function findAll(
  client: RollbookClient,
  named: readonly string[],
  signal: AbortSignal,
): Promise<AccessRequest[]> {
  const found = new Map<string, AccessRequest>()
  for (const text of named) {
    const request = await find(client, text, signal)
    found.set(request.request_id, request)
  }
  return [...found.values()]
}

/** By its id; or by its address, the one that waits, or the newest. */
async function find(client: RollbookClient, text: string, signal: AbortSignal): Promise<AccessRequest> {
  if (isUuid(text)) return client.accessRequests.get(text.toLowerCase(), { signal })
  const ofAddress: AccessRequest[] = []
  for await (const one of client.accessRequests.list({ q: text }, { signal })) {
    if (one.email.toLowerCase() === text.toLowerCase()) ofAddress.push(one)
  }
  const request = ofAddress.find(({ state }) => state === 'waiting') ?? ofAddress[0]
  if (request === undefined) throw notFound('request of', text, 'access-requests list')
  return request
}
