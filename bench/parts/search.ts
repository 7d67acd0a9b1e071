/** Searches by one client with nothing beside it. */
import { get } from 'node:http'
import { load, type Measured } from '../load.ts'
import { alternately, atMost, medianOf, type Row } from '../report.ts'
import { type Server, withPostgresServer, withServer } from '../servers.ts'
import { misspelt, searchTexts, searchWords } from '../users.ts'
import { many, million, type Part, type Settings } from './settings.ts'

/** How many of the slowest texts are printed. */
const shown = 10

type On = (setup: { users: number; profile: boolean }, work: (server: Server) => Promise<Measured>) => Promise<Measured>
type Search = {
  work: string
  users: number
  path?: string
  texts?: readonly string[]
  query: string
  mostMs: number
  on: On
}

const onSqlite: On = (setup, work) => withServer('ours', setup, work)
const onPostgres: On = (setup, work) => withPostgresServer('ours', setup, work)

export const search: Part = async (settings) => [
  await latency(settings, {
    work: 'GET /users?limit=20&q=…',
    users: settings.users ?? million,
    query: '',
    mostMs: 20,
    on: onSqlite,
  }),
  await withFilterAndCount(settings, '… with a filter and a count', onSqlite),
]

export const postgresSearch: Part = async (settings) => [
  await withFilterAndCount(settings, 'PostgreSQL: GET /users?limit=20&q=… with a filter and a count', onPostgres),
]

export const searchByWords: Part = async (settings) => [
  await words(settings, 'two and three words with a filter and a count', onSqlite),
  await closest(settings, 'GET /users/closest?q=…', onSqlite),
]

export const postgresSearchByWords: Part = async (settings) => [
  await words(settings, 'PostgreSQL: two and three words with a filter and a count', onPostgres),
  await closest(settings, 'PostgreSQL: GET /users/closest?q=…', onPostgres),
]

function words(settings: Settings, work: string, on: Search['on']): Promise<Row> {
  const users = settings.users ?? million
  const texts = searchWords(1000)
  return latency(settings, { work, users, texts, query: '&role=user&count=true', mostMs: 50, on })
}

function closest(settings: Settings, work: string, on: Search['on']): Promise<Row> {
  const users = settings.users ?? million
  return latency(settings, {
    work,
    users,
    path: '/users/closest?q=',
    texts: misspelt(1000),
    query: '',
    mostMs: 150,
    on,
  })
}

function withFilterAndCount(settings: Settings, work: string, on: Search['on']): Promise<Row> {
  return latency(settings, { work, users: settings.users ?? many, query: '&role=user&count=true', mostMs: 50, on })
}

async function latency({ seconds, rounds, profile }: Settings, given: Search): Promise<Row> {
  const { work, users, path = '/users?limit=20&q=', texts = searchTexts(users, 1000), query, mostMs, on } = given
  const targets = texts.map((text) => `${path}${encodeURIComponent(text)}${query}`)
  const { ours } = await alternately(rounds, {
    ours: () =>
      on({ users, profile }, async (server) => {
        await load(server, { targets, connections: 1, seconds: 1 })
        const measured = await load(server, { targets, connections: 1, seconds })
        await printSlowest(server, texts, targets)
        return measured
      }),
  })
  const p50Ms = medianOf(ours, (sample) => sample.p50Ms)
  return {
    work: `${work}, ${users.toLocaleString('en')} users, p99 alone (p50 ${p50Ms.toFixed(1)} ms)`,
    unit: 'ms',
    ours: medianOf(ours, (sample) => sample.p99Ms),
    target: atMost(mostMs),
    judged: 'ours',
  }
}

/** Asks for each text once, and prints those that took longest, with the number of matches where it is counted. */
async function printSlowest(server: Server, texts: readonly string[], targets: readonly string[]): Promise<void> {
  const slowest = new Map<string, { ms: number; total: string | undefined }>()
  for (const [i, target] of targets.entries()) {
    const began = performance.now()
    const total = await totalOf(server, target)
    const ms = performance.now() - began
    const text = texts[i] as string
    if (ms > (slowest.get(text)?.ms ?? 0)) slowest.set(text, { ms, total })
  }
  const rows = [...slowest].sort(([, a], [, b]) => b.ms - a.ms).slice(0, shown)
  for (const [text, { ms, total }] of rows) {
    console.error(`${ms.toFixed(1).padStart(7)} ms  ${text}${total === undefined ? '' : `, ${total} matches`}`)
  }
}

function totalOf({ port, prefix, headers }: Server, path: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    get({ port, path: `${prefix}${path}`, headers, host: '127.0.0.1' }, (response) => {
      const total = response.headers['total-count']
      response.resume().on('end', () => {
        if (response.statusCode === 200) resolve(total?.toString())
        else reject(new Error(`${path}: ${response.statusCode}`))
      })
    }).on('error', reject)
  })
}
