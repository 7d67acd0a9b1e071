/**
 * `npm run bench -- peers`: Rollbook beside other systems that administer users, in one run. Each pair has the same engine,
 * the same users and the same machine. Its packages are installed on first use, and only there. See README.md.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { get as request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { load } from './load.ts'
import { many } from './parts/settings.ts'
import {
  betterAuth,
  install,
  type Measured,
  type Product,
  parse,
  rollbook,
  rollbookOnPostgres,
  versionOf,
} from './peers/servers.ts'
import { cpuSeconds, residentMegabytes, watchMemory } from './processes.ts'
import { alternately, median, plainTable } from './report.ts'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    users: { type: 'string', default: String(many) },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
  },
})
const [users, seconds, rounds] = [values.users, values.seconds, values.rounds].map(Number) as [number, number, number]
await install()

/** More of a rate is better, less of all else. */
const rows = {
  get: { work: 'read a user', unit: '/s' },
  page: { work: 'a page of 100 users', unit: '/s' },
  list: { work: `the list of all ${users.toLocaleString('en')} users`, unit: 'ms' },
  listMemory: { work: '… memory meanwhile, more than before', unit: 'MB' },
  create: { work: 'create a user without password', unit: '/s' },
  update: { work: 'change a user', unit: '/s' },
  createWithPassword: { work: 'create a user with password, 16 clients', unit: '/s' },
  alone: { work: 'read a user, p99, nothing beside it', unit: 'ms' },
  beside: { work: '… p99 while passwords are hashed', unit: 'ms' },
  started: { work: 'start', unit: 'ms' },
  idle: { work: 'memory when idle', unit: 'MB' },
  busy: { work: 'memory, most in this run', unit: 'MB' },
} as const
type Figures = Record<keyof typeof rows, number> & { cpu: Partial<Record<keyof typeof rows, number>> }

async function measure({ server, requests }: Measured): Promise<Figures> {
  await sleep(3000)
  const idle = residentMegabytes(server.pid)
  const most = watchMemory(server.pid)
  const cpu: Figures['cpu'] = {}
  const rate = async (row: keyof typeof rows, plan: Parameters<typeof load>[1]) => {
    const before = cpuSeconds(server.pid)
    const found = await load(server, plan)
    cpu[row] = ((cpuSeconds(server.pid) - before) * 1e6) / found.requests
    return found.perSecond
  }
  // The whole list first: its memory is measured in a process that has not grown for other reasons.
  const listMost = watchMemory(server.pid)
  const before = residentMegabytes(server.pid)
  const list = await readAll(server, requests.list)
  const listMemory = listMost() - before
  await load(server, { ...requests.get, seconds: 2 })
  const get = await rate('get', { ...requests.get, seconds })
  const reads = { ...requests.get, connections: 8, seconds }
  const alone = (await load(server, reads)).p99Ms
  await load(server, { ...requests.page, seconds: 1 })
  const page = await rate('page', { ...requests.page, seconds })
  await load(server, { ...requests.update('warm'), seconds: 2 })
  const update = await rate('update', { ...requests.update('new'), seconds })
  await load(server, { ...requests.create('warm'), seconds: 2 })
  const create = await rate('create', { ...requests.create('new'), seconds })
  const passwords = (series: string) => ({ ...requests.createWithPassword(series), connections: 16 })
  const createWithPassword = await rate('createWithPassword', { ...passwords('hashed'), seconds })
  const [together] = await Promise.all([load(server, reads), load(server, { ...passwords('beside'), seconds })])
  // Without a single response in all the time, that time is the least it can be.
  const latencies = { alone, beside: together.requests === 0 ? seconds * 1000 : together.p99Ms }
  const memory = { idle, busy: most(), listMemory }
  return {
    get,
    page,
    list,
    create,
    update,
    createWithPassword,
    ...latencies,
    started: server.startedInMs,
    ...memory,
    cpu,
  }
}

/** Reads a response to its end. Returns the milliseconds. @throws Error unless it has as many users as expected */
function readAll({ port, prefix, headers }: Measured['server'], path: string): Promise<number> {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const call = request({ port, host: '127.0.0.1', path: prefix + path, headers, agent: false }, (answer) => {
      let bytes = 0
      answer.on('data', (piece: Buffer) => {
        bytes += piece.length
      })
      answer.on('error', reject)
      answer.on('end', () => {
        // No user takes fewer bytes in any of the formats.
        if (answer.statusCode !== 200 || bytes < users * 150) {
          reject(new Error(`The list was answered ${answer.statusCode} with ${bytes} bytes.`))
        } else resolve(performance.now() - began)
      })
    })
    call.on('error', reject)
  })
}

const pairs = [
  {
    name: 'better-auth',
    ours: 'Rollbook on SQLite',
    peer: `Better Auth ${versionOf('better-auth')} on SQLite`,
    products: { ours: rollbook, peer: betterAuth },
  },
  {
    name: 'parse',
    ours: 'Rollbook on PostgreSQL',
    peer: `Parse Server ${versionOf('parse-server')} on PostgreSQL`,
    products: { ours: rollbookOnPostgres, peer: parse },
  },
].filter(({ name }) => values.only === '' || values.only === name)

const measured = (product: Product) => () => product(users, measure)
const results: unknown[] = []
for (const { name, ours, peer, products } of pairs) {
  console.error(`${name} …`)
  const found = await alternately(rounds, { ours: measured(products.ours), peer: measured(products.peer) })
  const middle = (which: 'ours' | 'peer', row: keyof typeof rows) => median(found[which].map((one) => one[row]))
  const cpu = (which: 'ours' | 'peer', row: keyof typeof rows) => {
    const [first] = found[which]
    return first?.cpu[row] === undefined ? undefined : median(found[which].map((one) => one.cpu[row] as number))
  }
  const lines = (Object.keys(rows) as (keyof typeof rows)[]).map((row) => {
    const { work, unit } = rows[row]
    const [own, other] = [middle('ours', row), middle('peer', row)]
    const times = unit === '/s' ? own / other : other / own
    const [ownCpu, otherCpu] = [cpu('ours', row), cpu('peer', row)]
    const saved = ownCpu === undefined || otherCpu === undefined ? '' : `${show(otherCpu / ownCpu)} ×`
    results.push({
      pair: name,
      row,
      unit,
      ours: own,
      peer: other,
      times,
      processorTime: { ours: ownCpu, peer: otherCpu },
    })
    return [work, `${show(own)} ${unit}`, `${show(other)} ${unit}`, `${show(times)} ×`, saved]
  })
  console.log(`\n${plainTable([['work', ours, peer, 'Rollbook better by', 'in processor time'], ...lines])}`)
}
const out = join(import.meta.dirname, 'results')
mkdirSync(out, { recursive: true })
const at = new Date().toISOString()
writeFileSync(
  join(out, `${at.replaceAll(':', '-')}-peers.json`),
  JSON.stringify({ at, users, seconds, rounds, results }, null, 2),
)

function show(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(2)
}
