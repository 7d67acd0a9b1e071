import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { residentMegabytes, root, watchMemory } from '../processes.ts'
import { atMost, median, type Row } from '../report.ts'
import { ask, type Server, withServer } from '../servers.ts'
import { users as allUsers, randomNumbers } from '../users.ts'
import { askSteadily } from './mixed.ts'
import { many, type Part, userPaths } from './settings.ts'

const messages = 10_000
const askersAtOnce = 16
/** After any 10,000 changes work remains, which made the p99 of reads 1.6 times as long without a message too. */
const settlingMs = 10_000
/** How long memory is watched: sending all takes minutes. */
const watchedMs = 40_000

/** Reads of a user at a steady rate: before 10,000 messages are queued, while they wait, and while they are sent. */
export const mail: Part = async ({ users = many, seconds, rounds, profile }) => {
  const sink = await startSink()
  const settings = {
    ROLLBOOK_SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    ROLLBOOK_MAIL_FROM: 'bench@example.com',
    ROLLBOOK_PUBLIC_URL: 'http://127.0.0.1/auth',
    ROLLBOOK_RATE_LIMIT: '0',
  }
  try {
    return await withServer('ours', { users, writes: true, settings, profile }, async (server) => {
      const [random, paths] = [randomNumbers(), userPaths(users)]
      const recipients = recipientPaths(users)
      const next = () => ({ method: 'GET', path: paths[random() % paths.length] as string })
      const once = async () => {
        const sorted = (await askSteadily(server, next, seconds)).toSorted((a, b) => a - b)
        return sorted[Math.floor(sorted.length * 0.99)] ?? 0
      }
      // At this rate a p99 is a few requests, and one of the machine's own pauses decides it.
      const p99 = async () => {
        const found: number[] = []
        for (let n = 0; n < rounds; n++) found.push(await once())
        return median(found)
      }
      // The mail library is loaded with the first message.
      await queue(server, recipients.slice(0, 20))
      await until(async () => (await sink.count()) === 20)
      // As many changes before the reference too: they leave a larger heap, whatever they were.
      await change(server, paths.slice(0, messages))
      await sleep(settlingMs)
      await once()
      const idle = await p99()
      sink.write('close')
      await queue(server, recipients.slice(20, 20 + messages))
      await sleep(settlingMs)
      const before = residentMegabytes(server.pid)
      const waiting = await p99()
      const [already, most] = [await sink.count(), watchMemory(server.pid)]
      sink.write('open')
      await until(async () => (await sink.count()) > already)
      const begun = performance.now()
      const sending = await p99()
      const meanwhile = (await sink.count()) - already
      const perSecond = meanwhile / ((performance.now() - begun) / 1000)
      if (already + meanwhile >= messages + 20)
        throw new Error('All were sent before the measurement ended: ask for fewer --seconds.')
      await sleep(Math.max(0, begun + watchedMs - performance.now()))
      return rowsOf({ idle, waiting, sending, perSecond, growth: most() - before })
    })
  } finally {
    sink.end()
  }
}

/** Disabled users and those without an address get no message. */
function recipientPaths(count: number): string[] {
  const found: string[] = []
  for (const user of allUsers(count)) if (user.active && user.email !== null) found.push(`/users/${user.user_id}`)
  return found
}

type Found = { idle: number; waiting: number; sending: number; perSecond: number; growth: number }

function rowsOf({ idle, waiting, sending, perSecond, growth }: Found): Row[] {
  const compared = { unit: 'ms', bare: idle, reference: 'idle', target: atMost(1.2), judged: 'ratio' as const }
  return [
    { work: 'p99 of GET /users/{id}, 200 per second, while 10,000 messages wait', ...compared, ours: waiting },
    { work: '… while they are sent', ...compared, ours: sending },
    { work: '… messages sent per second meanwhile', unit: '/s', ours: perSecond, judged: 'ours' },
    {
      work: '… growth of memory within 40 s of sending, at most',
      unit: 'MB',
      ours: growth,
      target: atMost(32),
      judged: 'ours',
    },
  ]
}

function queue(server: Server, paths: readonly string[]): Promise<void> {
  return forEach(paths, async (path) => {
    const { status, body } = await ask(server, `${path}/password-reset`, { method: 'POST', body: '{}' })
    if (status !== 200 || !body.includes('"sent":true')) throw new Error(`A message was not queued: ${body}`)
  })
}

function change(server: Server, paths: readonly string[]): Promise<void> {
  return forEach(paths, async (path) => {
    const { status, body } = await ask(server, path, { method: 'PATCH', body: '{"last_name":"Byron"}' })
    if (status !== 200) throw new Error(`A user was not changed: ${body}`)
  })
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
