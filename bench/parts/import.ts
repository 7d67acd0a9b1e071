import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { load } from '../load.ts'
import { root, run } from '../processes.ts'
import { alternately, atLeast, atMost, medianOf } from '../report.ts'
import { type Server, withServer } from '../servers.ts'
import { users as generated } from '../users.ts'
import { many, type Part } from './settings.ts'

/**
 * A file of users, sent in one piece. Beside it a script that inserts the rows which the import has left (users, audit
 * records, events) into the same tables in one transaction, and one that inserts the users alone.
 */
export const importUsers: Part = async ({ users = many, seconds, rounds, profile }) => {
  const folder = mkdtempSync(join(tmpdir(), 'rollbook-bench-import-'))
  const file = join(folder, 'users.ndjson')
  await pipeline(Readable.from(lines(users)), createWriteStream(file))
  try {
    const { ours } = await alternately(rounds, {
      // Each user is there once, whom the server is asked for to know that it is ready.
      ours: () =>
        withServer('ours', { users: 1, writes: true, profile }, async (server) => {
          const targets = await someTarget()
          await load(server, { targets, connections: 1, seconds: 1 })
          const idle = await load(server, { targets, connections: 1, seconds })
          const memory = watchMemory(server)
          const begun = performance.now()
          const sent = send(server, file)
          const busy = await load(server, { targets, connections: 1, seconds })
          const done = await sent
          const took = performance.now() - begun
          if (done !== users) throw new Error(`The import created ${done} of ${users} users.`)
          const grown = memory.stop()
          const bare = await bareRates(server)
          return { perSecond: users / (took / 1000), idle: idle.p99Ms, busy: busy.p99Ms, ...grown, ...bare }
        }),
    })
    const middle = (figure: keyof (typeof ours)[number]) => medianOf(ours, (sample) => sample[figure])
    const work = `POST /users/import, ${users.toLocaleString('en')} users`
    return [
      {
        work,
        unit: '/s',
        bare: middle('all'),
        reference: 'rows inserted',
        ours: middle('perSecond'),
        target: atLeast(0.55),
        judged: 'ratio',
      },
      {
        work: '… beside the users alone, without audit and events',
        unit: '/s',
        bare: middle('users'),
        reference: 'users inserted',
        ours: middle('perSecond'),
        target: atLeast(0.15),
        judged: 'ratio',
      },
      {
        work: '… GET /users/{id} p99 meanwhile',
        unit: 'ms',
        bare: middle('idle'),
        reference: 'idle',
        ours: middle('busy'),
        target: atMost(5),
        judged: 'ratio',
      },
      {
        work: '… memory of the server, more than before',
        unit: 'MB',
        ours: middle('grown'),
        judged: 'ours',
      },
      {
        work: '… more than in the first fifth of the time',
        unit: 'MB',
        ours: middle('grownLater'),
        target: atMost(32),
        judged: 'ours',
      },
    ]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function* lines(count: number): Generator<string> {
  let piece = ''
  let n = 0
  for (const { user } of numbered(count)) {
    piece += `${JSON.stringify(user)}\n`
    if (++n % 500 === 0) {
      yield piece
      piece = ''
    }
  }
  yield piece
}

/** As generated for the other measurements, without what the store gives them; the first is there already. */
function* numbered(count: number) {
  let n = 0
  for (const { username, email, first_name, last_name } of generated(count + 1)) {
    if (n++ === 0) continue
    yield { user: { username, email, first_name, last_name } }
  }
}

async function someTarget(): Promise<string[]> {
  const [first] = generated(1)
  return [`/users/${first?.user_id}`]
}

/** Answers how many were created. */
function send({ port, prefix, headers }: Server, file: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        port,
        host: '127.0.0.1',
        path: `${prefix}/users/import`,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/x-ndjson' },
        agent: false,
      },
      async (answer) => {
        let text = ''
        for await (const piece of answer) text += piece
        if (answer.statusCode === 200) resolve(JSON.parse(text).created)
        else reject(new Error(`The import answered ${answer.statusCode}: ${text}`))
      },
    )
    sent.on('error', reject)
    pipeline(createReadStream(file), sent).catch(reject)
  })
}

/** In MB: the most that the server has held, above what it held at the beginning, and above the most of the first fifth. */
function watchMemory({ pid }: Server): { stop(): { grown: number; grownLater: number } } {
  const resident = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  const before = resident()
  const held: number[] = []
  const timer = setInterval(() => held.push(resident()), 100)
  return {
    stop() {
      clearInterval(timer)
      const most = Math.max(before, ...held)
      return { grown: most - before, grownLater: most - Math.max(before, ...held.slice(0, held.length / 5)) }
    },
  }
}

async function bareRates({ folder }: Server): Promise<{ all: number; users: number }> {
  const script = join(root, 'bench/bare-import.ts')
  const rate = async (tables: string) =>
    Number(await run([process.execPath, script, join(folder as string, 'rollbook.db'), tables]))
  return { all: await rate('users,audit_records,events'), users: await rate('users') }
}
