/** `rollbook sessions`: lists and ends the sessions of a user. */
import type { Command } from 'commander'
import { counted } from '../../lib/amounts.ts'
import type { Session } from '../../sdk/client/index.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { idOf } from '../server/find-named.ts'
import { addFindOptions, type FindOptions, getUser } from '../server/find-user.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, formatOf, type OutputOptions, printOne, printRows, tell } from '../terminal/output.ts'
import { addWriteOptions, confirm, type WriteOptions } from '../terminal/write-options.ts'

const members = [
  'session_id',
  'user_id',
  'device',
  'address',
  'created_at',
  'last_seen_at',
  'expires_at',
  'user_agent',
  'act',
]

type Options = FindOptions & OutputOptions & RemoteOptions

export function addSessions(program: Command): void {
  const sessions = program
    .command('sessions')
    .summary('show where users are signed in, and sign them out')
    .description(
      'Lists and ends the sessions of a user. A user is identified by id, username or email address. To act as a user, use the console: it takes a browser, not an API key.',
    )
  examples(sessions, [
    ['rollbook sessions list ada', 'show where a user is signed in'],
    ['rollbook sessions end-all ada@example.com', 'sign a user out everywhere'],
  ])
  addList(sessions)
  addEnd(sessions)
  addEndAll(sessions)
}

function addList(sessions: Command): void {
  const list = sessions
    .command('list')
    .summary('list the sessions of a user')
    .description(
      'Lists the sessions of a user: where and since when they are signed in. In a session with act, that administrator acts as the user.',
    )
    .action(runList)
  examples(list, [
    ['rollbook sessions list ada', 'show devices and times'],
    ['rollbook sessions list ada@example.com --json', 'output for a program'],
  ])
  addFindOptions(list)
  addOutputOptions(list, {
    all: members,
    shown: ['session_id', 'device', 'address', 'created_at', 'last_seen_at', 'act'],
  })
  addRemoteOptions(list)
}

async function runList(text: string, options: Options): Promise<void> {
  await withServer(options, async (client, signal) => {
    const { user_id } = await getUser(client, text, options, signal)
    const sessions = await client.sessions.listOf(user_id, { signal })
    await printRows(formatOf(options).endsWith('json') ? sessions : sessions.map(flat), options, 'sessions')
  })
}

/** Names the administrator who acts as the user, where there is no room for an object. */
function flat({ act, ...session }: Session): object {
  return { ...session, act: act?.username }
}

function addEnd(sessions: Command): void {
  const end = sessions
    .command('end')
    .summary('end one session of a user')
    .description('Ends one session of a user. The browser is signed out within a second.')
    .action(runEnd)
  examples(end, [
    ['rollbook sessions end ada "Firefox on Linux"', 'end the session in this browser'],
    ['rollbook sessions end ada 019a9f3e-0000-7000-8000-000000000000 --dry-run', 'check whether the session exists'],
  ])
  addFindOptions(end)
  end.argument('<session>', 'its id or device')
  addWriteOptions(end)
  addOutputOptions(end, ['session_id', 'revoked'])
  addRemoteOptions(end)
}

async function runEnd(text: string, session: string, options: Options & WriteOptions): Promise<void> {
  const { dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const { user_id, username } = await getUser(client, text, options, signal)
    const namedSessions = async () => {
      const sessions = await client.sessions.listOf(user_id, { signal })
      return sessions.map(({ session_id, device }) => ({ id: session_id, names: [device] }))
    }
    const session_id = await idOf(session, namedSessions, 'session', `sessions list ${username}`)
    await printOne(await client.sessions.endOf(user_id, session_id, { signal, dryRun }), options)
    tell(dryRun ? 'Nothing was changed. The session can be ended.' : `Ended a session of ${username}.`)
  })
}

function addEndAll(sessions: Command): void {
  const endAll = sessions
    .command('end-all')
    .summary('sign a user out everywhere')
    .description('Ends every session of a user within a second. Asks first, unless --yes is given.')
    .action(runEndAll)
  examples(endAll, [
    ['rollbook sessions end-all ada', 'with confirmation'],
    ['rollbook sessions end-all ada@example.com --yes', 'without confirmation'],
  ])
  addFindOptions(endAll)
  addWriteOptions(endAll)
  addOutputOptions(endAll, ['revoked'])
  addRemoteOptions(endAll)
}

async function runEndAll(text: string, options: Options & WriteOptions): Promise<void> {
  const { dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const { user_id, username } = await getUser(client, text, options, signal)
    await confirm(`Sign ${username} out everywhere?`, options)
    const result = await client.sessions.endAllOf(user_id, { signal, dryRun })
    await printOne(result, options)
    if (dryRun) return tell(`Nothing was changed. ${username} can be signed out.`)
    tell(`Ended ${counted(result.revoked, 'session')} of ${username}.`)
  })
}
