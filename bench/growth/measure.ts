/** What a request costs as a store grows: processor time of the server, which other load on the machine changes little. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Load, load } from '../load.ts'
import { many, userPaths } from '../parts/settings.ts'
import { changeBody, newUserBody } from '../parts/writing.ts'
import { cpuSeconds, residentMegabytes, root, run } from '../processes.ts'
import { median } from '../report.ts'
import type { ServerName } from '../seed.ts'
import { ask, type Server, type Setup, withServer } from '../servers.ts'
import { searchTexts } from '../users.ts'
import { readWholeList } from '../whole-list.ts'
import { password, usernameOf } from './people.ts'
import { withRecords } from './records.ts'

/** Figures by the names of their lines in the picture. */
export type Figures = Record<string, number>
export type Point = { axis: 'users' | 'records' | 'sessions'; count: number; at: string; values: Figures }

type Running = { count: number; server: Server; targets: readonly string[]; samples: Record<string, number[]> }
type Work = (server: Server, round: string) => Promise<number>
type Lines = Record<string, (running: Running) => Work>

const people = 2000
const roundSeconds = 1
/** It takes some ten thousand requests until the JavaScript is compiled, and the cache of the engine is full. */
const warmUpRounds = 4
// People sign in from many networks.
const settings = { ROLLBOOK_RATE_LIMIT: '0', ROLLBOOK_TRUSTED_PROXIES: '127.0.0.1' }
const preload = 'bench/growth/cheap-argon2.ts'

/** Microseconds of processor time for each request of a load. */
const cost =
  (plan: (round: string) => Omit<Load, 'seconds'>): Work =>
  async (server, round) => {
    const before = cpuSeconds(server.pid)
    const { requests } = await load(server, { ...plan(round), seconds: roundSeconds })
    if (requests === 0) throw new Error('There was no response in a whole round.')
    return ((cpuSeconds(server.pid) - before) * 1e6) / requests
  }
const reading = (targets: readonly string[], connections = 32) => cost(() => ({ targets, connections }))
const changing: Lines = {
  'PATCH /users/{id}': ({ targets }) => cost((round) => ({ method: 'PATCH', targets, body: changeBody(round) })),
  'POST /users': () => cost((round) => ({ method: 'POST', targets: ['/users'], body: newUserBody(round) })),
}

const userLines: Lines = {
  'GET /users/{id}': ({ targets }) => reading(targets),
  'GET /users?limit=100': () => reading(['/users?limit=100']),
  'search, 20 rows': ({ count }) =>
    reading(
      searchTexts(count, 1000).map((text) => `/users?limit=20&q=${encodeURIComponent(text)}`),
      1,
    ),
  'page from the middle (offset)': ({ count }) => reading([`/users?limit=20&offset=${count / 2}`], 1),
  'page with an estimated count': () => reading(['/users?limit=20&active=false&count=estimate'], 1),
  // The users for this are created only now: a store of this size then merges its search index for half a minute.
  'POST /sessions, without hashing': () => async (server) => {
    await makePeople(server)
    const before = cpuSeconds(server.pid)
    const { created } = await signInsBeside(server, 300, roundSeconds)
    return ((cpuSeconds(server.pid) - before) * 1e6) / created
  },
  ...changing,
}
const bareLines: Lines = {
  'bare: GET /users/{id}': ({ targets }) => reading(targets),
  'bare: POST /users': changing['POST /users'] as Lines[string],
}

export async function growthOfUsers(counts: readonly number[], rounds: number): Promise<Point[]> {
  const stores = (name: ServerName) => counts.map((count) => ({ count, name, setup: {} }))
  const whole = counts.map((count) => () => measureWhole(count))
  const wholes: Figures[] = []
  for (const measure of whole) wholes.push(await measure())
  const ours = await measureAll(stores('ours'), userLines, rounds)
  const bare = await measureAll(stores('bare'), bareLines, rounds)
  return counts.map((count, i) => point('users', count, { ...ours[i], ...bare[i], ...wholes[i] }))
}

/** What happens once, and sizes. */
async function measureWhole(users: number): Promise<Figures> {
  const starts: number[] = []
  let figures: Figures = {}
  for (let round = 0; round < 3; round++) {
    figures = await withServer('ours', { users }, async (server) => {
      starts.push(cpuSeconds(server.pid) * 1000)
      await sleep(3000)
      const idle = residentMegabytes(server.pid)
      const before = cpuSeconds(server.pid)
      await readWholeList(server)
      const disk = statSync(join(server.folder as string, 'rollbook.db')).size / 1e6
      const list = (cpuSeconds(server.pid) - before) * 1000
      return { 'whole list, ms': list, 'memory when idle, MB': idle, 'file, MB': disk }
    })
  }
  return { 'start, ms': median(starts), ...figures }
}

const recordLines: Lines = {
  'GET /audit, newest 100': () => reading(['/audit'], 1),
  'GET /users/{id}/audit, newest 20': ({ targets }) =>
    reading(
      targets.map((target) => `${target}/audit?limit=20`),
      1,
    ),
  ...changing,
}

export async function growthOfRecords(counts: readonly number[], rounds: number): Promise<Point[]> {
  const stores: Stored[] = []
  for (const count of counts) {
    stores.push({ count, name: 'ours', users: many, setup: { other: { store: await withRecords(many, count) } } })
  }
  const found = await measureAll(stores, recordLines, rounds)
  return counts.map((count, i) => point('records', count, found[i] as Figures))
}

/** Other requests beside sign-ins at a given rate: their latency is what a user notices. */
export async function growthOfSessions(rates: readonly number[], rounds: number): Promise<Point[]> {
  const targets = userPaths(many)
  const one = { targets, connections: 1, seconds: 2 }
  return withServer('ours', { users: many, writes: true, settings, preload }, async (server) => {
    await makePeople(server)
    await load(server, { targets, seconds: 2 })
    await load(server, { ...one, method: 'PATCH', body: changeBody('warm') })
    await signInsBeside(server, 300, 2)
    const samples = rates.map((): Record<string, number[]> => ({}))
    for (let round = 0; round < rounds; round++) {
      for (const [i, rate] of rates.entries()) {
        const add = (line: string, value: number) => {
          const list = (samples[i] as Record<string, number[]>)[line] ?? []
          ;(samples[i] as Record<string, number[]>)[line] = [...list, value]
        }
        const seconds = one.seconds + 1
        const before = cpuSeconds(server.pid)
        const alone = await signInsBeside(server, rate, Math.max(seconds, 100 / rate))
        add('processor time of a sign-in', ((cpuSeconds(server.pid) - before) * 1e6) / alone.created)
        add('reached per second', alone.perSecond)
        const [reads] = await Promise.all([load(server, one), signInsBeside(server, rate, seconds)])
        add('GET /users/{id}, p50', reads.p50Ms * 1000)
        add('GET /users/{id}, p99', reads.p99Ms * 1000)
        const patch = load(server, { ...one, method: 'PATCH', body: changeBody(`r${round}x${rate}`) })
        const [writes] = await Promise.all([patch, signInsBeside(server, rate, seconds)])
        add('PATCH /users/{id}, p50', writes.p50Ms * 1000)
        add('PATCH /users/{id}, p99', writes.p99Ms * 1000)
      }
    }
    return rates.map((rate, i) => point('sessions', rate, medians(samples[i] ?? {})))
  })
}

type Stored = { count: number; name: ServerName; users?: number; setup: Partial<Setup> }

/**
 * Runs a server for each store. Rounds go round the stores, so that other load affects all of them, and only the one
 * whose turn it is gets the processor.
 */
function measureAll(stores: readonly Stored[], lines: Lines, rounds: number): Promise<Figures[]> {
  const start = async (rest: readonly Stored[], running: readonly Running[]): Promise<Figures[]> => {
    const [next, ...others] = rest
    if (next === undefined) return measureInTurn(running, lines, rounds)
    const users = next.users ?? next.count
    const setup: Setup = { users, writes: true, settings, preload, ...next.setup }
    return withServer(next.name, setup, async (server) => {
      process.kill(server.pid, 'SIGSTOP')
      const one = { count: next.count, server, targets: userPaths(users), samples: {} }
      return start(others, [...running, one]).finally(() => process.kill(server.pid, 'SIGCONT'))
    })
  }
  return start(stores, [])
}

async function measureInTurn(all: readonly Running[], lines: Lines, rounds: number): Promise<Figures[]> {
  for (const [line, workOf] of Object.entries(lines)) {
    for (let round = 1 - warmUpRounds; round <= rounds; round++) {
      for (const one of all) {
        process.stderr.write(`\r  ${line}: round ${round} of ${rounds}, ${one.count.toLocaleString('en')}\u001b[K`)
        process.kill(one.server.pid, 'SIGCONT')
        // A list that is refused because it would cost too much has no figure.
        const value = await workOf(one)(one.server, `round${round + warmUpRounds}`).catch((error: Error) =>
          console.error(error.message),
        )
        process.kill(one.server.pid, 'SIGSTOP')
        if (round > 0 && value !== undefined) one.samples[line] = [...(one.samples[line] ?? []), value]
      }
    }
  }
  process.stderr.write('\r\u001b[K')
  return all.map(({ samples }) => medians(samples))
}

const withPeople = new WeakSet<Server>()

async function makePeople(server: Server): Promise<void> {
  if (withPeople.has(server)) return
  withPeople.add(server)
  const make = async (i: number) => {
    const body = JSON.stringify({ username: usernameOf(i), password })
    const { status } = await ask(server, '/users', { method: 'POST', body })
    if (status !== 201) throw new Error(`A user was not created: ${status}`)
  }
  const atOnce = 20
  for (let i = 0; i < people; i += atOnce) await Promise.all(Array.from({ length: atOnce }, (_, n) => make(i + n)))
}

/** Creates sessions at a rate. @throws Error when sign-ins fail */
async function signInsBeside(server: Server, perSecond: number, seconds: number) {
  const url = `http://127.0.0.1:${server.port}${server.prefix}`
  const program = join(root, 'bench/growth/sign-in-stream.ts')
  const printed = await run([process.execPath, program, url, ...[perSecond, seconds, people].map(String)])
  const found = JSON.parse(printed) as { created: number; perSecond: number; failures: Record<string, number> }
  if (Object.keys(found.failures).length > 0) throw new Error(`Sign-ins failed: ${printed}`)
  return found
}

function medians(samples: Record<string, readonly number[]>): Figures {
  return Object.fromEntries(Object.entries(samples).map(([line, values]) => [line, median(values)]))
}

function point(axis: Point['axis'], count: number, values: Figures): Point {
  const rounded = Object.entries(values).map(([line, value]) => [line, Number(value.toPrecision(3))])
  return { axis, count, at: new Date().toISOString().slice(0, 10), values: Object.fromEntries(rounded) }
}
