import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Load, load } from '../load.ts'
import { query, withDatabase } from '../postgres.ts'
import { residentMegabytes, root, run, watchMemory } from '../processes.ts'
import { alternately, atLeast, atMost, medianOf } from '../report.ts'
import type { ServerName } from '../seed.ts'
import { type PostgresSetup, withPostgresServer } from '../servers.ts'
import { readWholeList } from '../whole-list.ts'
import { warmed } from './reading.ts'
import { longWarmUpSeconds, many, million, type Part, userPaths } from './settings.ts'
import { changeBody, newUserBody } from './writing.ts'

export const postgresGet: Part = async ({ users = many, seconds, rounds, profile }) => {
  const targets = userPaths(users)
  const measure = (name: ServerName) => () =>
    withPostgresServer(name, { users, profile }, async (server) => {
      await load(server, { targets, seconds: longWarmUpSeconds })
      return load(server, { targets, seconds })
    })
  const { bare, ours } = await alternately(rounds, { bare: measure('bare'), ours: measure('ours') })
  return [
    {
      work: `PostgreSQL: GET /users/{id}, ${users.toLocaleString('en')} users`,
      unit: '/s',
      bare: medianOf(bare, (sample) => sample.perSecond),
      ours: medianOf(ours, (sample) => sample.perSecond),
      target: atLeast(0.85),
      judged: 'ratio',
    },
  ]
}

export const postgresPage: Part = async ({ users = many, seconds, rounds, profile }) => {
  const ids = userPaths(users).map((path) => path.slice('/users/'.length))
  const first = ['/users?limit=100']
  const places: Record<ServerName, string[]> = {
    bare: ids.map((id) => `/users?limit=100&cursor=${id}`),
    ours: ids.map((id) => `/users?limit=100&cursor=${Buffer.from(JSON.stringify([id])).toString('base64url')}`),
  }
  const measure = (name: ServerName, targets: readonly string[]) => () =>
    withPostgresServer(name, { users, profile }, async (server) => {
      await load(server, { targets, seconds: longWarmUpSeconds })
      return load(server, { targets, seconds })
    })
  const found = await alternately(rounds, {
    bare: measure('bare', first),
    ours: measure('ours', first),
    barePlaces: measure('bare', places.bare),
    ourPlaces: measure('ours', places.ours),
  })
  const rate = (name: keyof typeof found) => medianOf(found[name], (sample) => sample.perSecond)
  const row = { unit: '/s', target: atLeast(0.8), judged: 'ratio' } as const
  return [
    {
      work: `PostgreSQL: GET /users?limit=100, ${users.toLocaleString('en')} users`,
      ...row,
      bare: rate('bare'),
      ours: rate('ours'),
    },
    { work: '… behind any user', ...row, bare: rate('barePlaces'), ours: rate('ourPlaces') },
  ]
}

export const postgresOffset: Part = async ({ users = million, seconds, rounds, profile }) => {
  const step = Math.ceil(users / 1000)
  const targets = Array.from({ length: 1000 }, (_, i) => `/users?limit=20&offset=${i * step}`)
  const { ours } = await alternately(rounds, {
    ours: () =>
      withPostgresServer('ours', { users, profile }, async (server) => {
        await load(server, { targets, connections: 1, seconds: longWarmUpSeconds })
        return load(server, { targets, connections: 1, seconds })
      }),
  })
  return [
    {
      work: `PostgreSQL: GET /users?offset=…, ${users.toLocaleString('en')} users, p99 alone`,
      unit: 'ms',
      ours: medianOf(ours, (sample) => sample.p99Ms),
      target: atMost(50),
      judged: 'ours',
    },
  ]
}

/** Measures a load that writes, on bare in several forms and on ours. */
async function writes<Name extends string>(
  { users = many, seconds, rounds, profile }: Parameters<Part>[0],
  plan: (series: string) => Omit<Load, 'seconds'>,
  bare: Record<Name, Partial<PostgresSetup>>,
): Promise<(name: Name | 'ours', figure?: 'perSecond' | 'p99Ms') => number> {
  const measure = (name: ServerName, setup: Partial<PostgresSetup>) => () =>
    withPostgresServer(name, { users, writes: true, profile, ...setup }, async (server) => {
      await load(server, { ...plan('warm'), seconds: longWarmUpSeconds })
      return load(server, { ...plan('new'), seconds })
    })
  const forms = Object.entries<Partial<PostgresSetup>>(bare).map(([name, setup]) => [name, measure('bare', setup)])
  const found = await alternately(rounds, { ...Object.fromEntries(forms), ours: measure('ours', {}) })
  return (name, figure = 'perSecond') => medianOf(found[name] ?? [], (sample) => sample[figure])
}

export const postgresCreate: Part = async (settings) => {
  const plan = (series: string) => ({ method: 'POST', targets: ['/users'], body: newUserBody(series) }) as const
  const rate = await writes(settings, plan, { bare: {}, journal: { journal: true } })
  const ours = { unit: '/s', ours: rate('ours'), judged: 'ratio' } as const
  return [
    { work: 'PostgreSQL: POST /users without password', ...ours, bare: rate('bare'), target: atLeast(0.6) },
    {
      work: '… compared with bare with journal',
      ...ours,
      bare: rate('journal'),
      reference: 'journal',
      target: atLeast(0.8),
    },
  ]
}

export const postgresPatch: Part = async (settings) => {
  const targets = userPaths(settings.users ?? many)
  const plan = (series: string) => ({ method: 'PATCH', targets, body: changeBody(series) }) as const
  const rate = await writes(settings, plan, { bare: {}, journal: { journal: true }, blind: { patch: 'blind' } })
  const ours = { unit: '/s', ours: rate('ours'), judged: 'ratio' } as const
  return [
    { work: 'PostgreSQL: PATCH /users/{id}', ...ours, bare: rate('bare'), target: atLeast(0.8) },
    {
      work: '… compared with bare with journal',
      ...ours,
      bare: rate('journal'),
      reference: 'journal',
      target: atLeast(0.8),
    },
    { work: '… compared with a plain UPDATE without a read before it', ...ours, bare: rate('blind') },
    {
      work: '… p99',
      unit: 'ms',
      judged: 'ours',
      bare: rate('bare', 'p99Ms'),
      ours: rate('ours', 'p99Ms'),
      target: atMost(20),
    },
  ]
}

export const postgresList: Part = async ({ users = million, rounds, profile }) => {
  const found = await alternately(rounds, {
    copy: () =>
      withDatabase({ users }, async ({ url }) =>
        Number(
          await run([process.execPath, join(root, 'bench/copy-rate.ts')], { env: { ...process.env, DATABASE: url } }),
        ),
      ),
    ours: () =>
      withPostgresServer('ours', { users, profile }, async (server) => {
        await sleep(1000)
        const before = residentMegabytes(server.pid)
        const mostMemory = watchMemory(server.pid)
        const { megabytes, seconds, firstByteMs } = await readWholeList(server)
        return { megabytes, rate: megabytes / seconds, firstByteMs, growth: mostMemory() - before }
      }),
  })
  const size = Math.round(medianOf(found.ours, (sample) => sample.megabytes))
  return [
    {
      work: `PostgreSQL: GET /users, ${users.toLocaleString('en')} users (${size} MB)`,
      unit: 'MB/s',
      bare: medianOf(found.copy, (rate) => rate),
      reference: 'COPY',
      ours: medianOf(found.ours, (sample) => sample.rate),
      target: atLeast(0.8),
      judged: 'ratio',
    },
    {
      work: '… growth of resident memory',
      unit: 'MB',
      ours: medianOf(found.ours, (sample) => sample.growth),
      target: atMost(64),
      judged: 'ours',
    },
    {
      work: '… first byte',
      unit: 'ms',
      ours: medianOf(found.ours, (sample) => sample.firstByteMs),
      judged: 'ours',
    },
  ]
}

const ofCredentials = 'SELECT .* FROM api_keys'

/** What the database was asked because of a credential, by its own count of statements. */
export const postgresCredentials: Part = async ({ users = many, seconds, rounds }) => {
  const targets = userPaths(users)
  const { ours } = await alternately(rounds, {
    ours: () =>
      withPostgresServer('ours', { users }, async (server, { adminUrl }) => {
        const calls = async (pattern: string) => {
          const sum = `SELECT coalesce(sum(calls), 0)::int AS calls FROM pg_stat_statements WHERE query ~ '${pattern}'`
          const [found] = await query(adminUrl, sum)
          return found.calls as number
        }
        await warmed(server, targets)
        // The very first request did ask: what finds nothing now would find nothing later.
        if ((await calls(ofCredentials)) === 0) throw new Error('The look-up of the key is not recognized.')
        await query(adminUrl, 'SELECT pg_stat_statements_reset()')
        const { requests } = await load(server, { targets, seconds })
        const reads = await calls('SELECT document.* FROM users')
        if (reads < requests) throw new Error(`The database counted ${reads} reads of ${requests}.`)
        return { requests, credentials: await calls(ofCredentials) }
      }),
  })
  const requests = Math.round(medianOf(ours, (sample) => sample.requests))
  return [
    {
      work: `PostgreSQL: statements for the credentials of ${requests.toLocaleString('en')} requests`,
      unit: '',
      ours: Math.max(...ours.map((sample) => sample.credentials)),
      target: atMost(0),
      judged: 'ours',
    },
  ]
}
