import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { mainThreadSeconds, residentMegabytes, root, watchMemory } from '../processes.ts'
import { atMost, median, type Row } from '../report.ts'
import { ask, type Server, withServer } from '../servers.ts'
import { askSteadily } from '../steady.ts'
import { users as allUsers, randomNumbers } from '../users.ts'
import { quantiles, ratioBounds, type Window } from '../windows.ts'
import { many, type Part, userPaths } from './settings.ts'

const messages = 10_000
/** With the default settings 20,000 requests in each state. */
const perSecond = 800
const askersAtOnce = 16
/** After any 10,000 changes work remains. */
const settlingMs = 10_000
/** Until what was sent before is settled. */
const changingMs = 300
const warmUpSeconds = 0.2
/** How long memory is watched: sending all takes minutes. */
const watchedMs = 40_000

/** Both servers have as much to do, and each window follows one of the other server. */
const turns = ['idle', 'waiting', 'idle', 'sending'] as const
type State = (typeof turns)[number]

/**
 * Reads of a user at a steady rate from two servers, in windows of a second that take turns: from one that has no messages,
 * and from one while 10,000 wait, and while they are sent. Only one server has work at any time.
 */
export const mail: Part = async ({ users = many, seconds, rounds, profile }) => {
  const sink = await startSink()
  const settings = {
    ROLLBOOK_SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    ROLLBOOK_MAIL_FROM: 'bench@example.com',
    ROLLBOOK_PUBLIC_URL: 'http://127.0.0.1/auth',
    ROLLBOOK_RATE_LIMIT: '0',
  }
  const setup = { users, writes: true, settings }
  const measure = (idle: Server, busy: Server) => compare({ idle, busy, sink, users, windows: seconds * rounds })
  try {
    return await withServer('ours', setup, (idle) =>
      withServer('ours', { ...setup, profile }, (busy) => measure(idle, busy)),
    )
  } finally {
    sink.end()
  }
}

type Comparison = { idle: Server; busy: Server; sink: Sink; users: number; windows: number }

async function compare({ idle, busy, sink, users, windows }: Comparison): Promise<Row[]> {
  const [random, paths, recipients] = [randomNumbers(), userPaths(users), recipientPaths(users)]
  const next = () => ({ method: 'GET', path: paths[random() % paths.length] as string })
  for (const server of [idle, busy]) {
    // The mail library is loaded with the first message.
    const before = await sink.count()
    await queue(server, recipients.slice(0, 20))
    await until(async () => (await sink.count()) === before + 20)
  }
  sink.write('hold')
  // The same changes without messages: the store and the heap are as large.
  await forEach(recipients.slice(20, 20 + messages), (path) => reset(idle, path, false))
  await queue(busy, recipients.slice(20, 20 + messages))
  await sleep(settlingMs)
  const [memory, most] = [residentMegabytes(busy.pid), watchMemory(busy.pid)]
  const found: Record<State, Window[]> = { idle: [], waiting: [], sending: [] }
  const used: Record<State, number> = { idle: 0, waiting: 0, sending: 0 }
  let sent = 0
  // The first round warms up.
  for (let round = 0; round <= windows; round++) {
    process.stderr.write(`\r  round ${round} of ${windows}\u001b[K`)
    for (const state of turns) {
      const server = state === 'idle' ? idle : busy
      sink.write(state === 'sending' ? 'release' : 'hold')
      await sleep(changingMs)
      // The processor has just worked for another process.
      await askSteadily(server, next, { seconds: warmUpSeconds, perSecond })
      const [already, spent] = [await sink.count(), mainThreadSeconds(server.pid)]
      const window = await askSteadily(server, next, { seconds: 1, perSecond })
      if (round === 0) continue
      found[state].push(window)
      used[state] += mainThreadSeconds(server.pid) - spent
      if (state === 'sending') sent += (await sink.count()) - already
    }
  }
  process.stderr.write('\r\u001b[K')
  if (await isOver(sink)) throw new Error('All were sent before the measurement ended: ask for fewer --seconds.')
  sink.write('release')
  await sleep(watchedMs)
  return [
    ...[0.99, 0.5].flatMap((share) => rowsOf(found, share)),
    { work: '… messages sent per second meanwhile', unit: '/s', ours: sent / windows, judged: 'ours' },
    {
      work: '… processor time of the main thread per message',
      unit: 'ms',
      ours: (1000 * (used.sending - used.waiting)) / sent,
      judged: 'ours',
    },
    {
      work: '… growth of memory while they are sent, at most',
      unit: 'MB',
      ours: most() - memory,
      target: atMost(32),
      judged: 'ours',
    },
  ]
}

async function isOver(sink: Sink): Promise<boolean> {
  return (await sink.count()) >= messages + 40
}

function rowsOf(found: Record<State, Window[]>, share: number): Row[] {
  const idle = quantiles(found.idle, share)
  const row = (words: string, windows: Window[]): Row => {
    const ours = quantiles(windows, share)
    const [least, most] = ratioBounds(ours, idle).map((bound) => bound.toFixed(2))
    return {
      work: `p${100 * share} of GET /users/{id}, ${words}; 90 % certain: ${least} to ${most}`,
      unit: 'ms',
      bare: median(idle),
      reference: 'idle',
      ours: median(ours),
      ...(share === 0.99 && { target: atMost(1.2) }),
      judged: 'ratio',
    }
  }
  return [row('10,000 messages waiting', found.waiting), row('while they are sent', found.sending)]
}

/** Disabled users and those without an address get no message. */
function recipientPaths(count: number): string[] {
  const found: string[] = []
  for (const user of allUsers(count)) if (user.active && user.email !== null) found.push(`/users/${user.user_id}`)
  return found
}

function queue(server: Server, paths: readonly string[]): Promise<void> {
  return forEach(paths, (path) => reset(server, path, true))
}

async function reset(server: Server, path: string, send: boolean): Promise<void> {
  const { status, body } = await ask(server, `${path}/password-reset`, {
    method: 'POST',
    body: JSON.stringify({ send }),
  })
  if (status !== 200 || !body.includes(`"sent":${send}`)) throw new Error(`A link was not made: ${body}`)
}

async function forEach(paths: readonly string[], act: (path: string) => Promise<void>): Promise<void> {
  let next = 0
  const work = async () => {
    while (next < paths.length) await act(paths[next++] as string)
  }
  await Promise.all(Array.from({ length: askersAtOnce }, work))
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 180_000
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error('The messages were not sent within three minutes.')
    await sleep(20)
  }
}

type Sink = Awaited<ReturnType<typeof startSink>>

async function startSink() {
  const child = spawn(process.execPath, [join(root, 'bench/mail-sink.ts')], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  const answer = async () => Number((await once(lines, 'line'))[0])
  const port = await answer()
  const write = (line: string) => child.stdin.write(`${line}\n`)
  return {
    port,
    write,
    count() {
      const found = answer()
      write('count')
      return found
    },
    end: () => child.stdin.end(),
  }
}
