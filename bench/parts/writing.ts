import { join } from 'node:path'
import { load, type Measured } from '../load.ts'
import { hasProgram, root, run } from '../processes.ts'
import { alternately, atLeast, atMost, medianOf, type Row } from '../report.ts'
import type { ServerName } from '../seed.ts'
import { type Server, type Setup, withServer } from '../servers.ts'
import { warmed } from './reading.ts'
import { longWarmUpSeconds, many, type Part, userPaths } from './settings.ts'

/** Bodies; `series` keeps the usernames of two loads apart. */
export const newUserBody = (series: string) =>
  JSON.stringify({
    username: `${series}.lovelace.%n`,
    email: `${series}.lovelace%n@example.com`,
    first_name: 'Ada',
    last_name: 'Lovelace',
  })
export const withPassword = (series: string) =>
  JSON.stringify({ ...JSON.parse(newUserBody(series)), password: 'Vexil-%n-plomb-Aruda-9' })
export const changeBody = (series: string) => JSON.stringify({ first_name: `${series} %n` })

export const create: Part = async ({ users = many, seconds, rounds, profile }) => {
  const measure =
    (name: ServerName, setup: Partial<Setup> = {}) =>
    () =>
      withServer(name, { users, writes: true, profile, ...setup }, async (server) => {
        await load(server, { method: 'POST', targets: ['/users'], body: newUserBody('warm'), seconds: 1 })
        return load(server, { method: 'POST', targets: ['/users'], body: newUserBody('new'), seconds })
      })
  const found = await alternately(rounds, {
    bare: measure('bare'),
    journal: measure('bare', { journal: true }),
    ours: measure('ours'),
  })
  const rate = (name: keyof typeof found) => medianOf(found[name], (sample) => sample.perSecond)
  const ours = { unit: '/s', ours: rate('ours'), judged: 'ratio' } as const
  return [
    { work: 'POST /users without password', ...ours, bare: rate('bare'), target: atLeast(0.5) },
    {
      work: '… compared with bare with journal',
      ...ours,
      bare: rate('journal'),
      reference: 'journal',
      target: atLeast(0.8),
    },
    latencyRow(found),
  ]
}

/** The p99 of the same load. */
function latencyRow({ bare, ours }: Record<'bare' | 'ours', readonly Measured[]>): Row {
  const p99 = (samples: readonly Measured[]) => medianOf(samples, (sample) => sample.p99Ms)
  return { work: '… p99', unit: 'ms', bare: p99(bare), ours: p99(ours), target: atMost(20), judged: 'ours' }
}

export const patch: Part = async ({ users = many, seconds, rounds, profile }) => {
  const targets = userPaths(users)
  const measure =
    (name: ServerName, setup: Partial<Setup> = {}) =>
    () =>
      withServer(name, { users, writes: true, profile, ...setup }, async (server) => {
        await load(server, { method: 'PATCH', targets, body: changeBody('warm'), seconds: 1 })
        return load(server, { method: 'PATCH', targets, body: changeBody('Ada'), seconds })
      })
  const found = await alternately(rounds, {
    bare: measure('bare', { commit: 'each' }),
    journal: measure('bare', { journal: true }),
    ours: measure('ours'),
  })
  const rate = (name: keyof typeof found) => medianOf(found[name], (sample) => sample.perSecond)
  const ours = { unit: '/s', ours: rate('ours'), judged: 'ratio' } as const
  return [
    { work: 'PATCH /users/{id}', ...ours, bare: rate('bare'), reference: 'a commit each', target: atLeast(3) },
    {
      work: '… compared with bare with journal and group commit',
      ...ours,
      bare: rate('journal'),
      reference: 'journal',
      target: atLeast(0.8),
    },
    latencyRow(found),
  ]
}

/** With fsync at 5 ms the rate says how many changes share one, and the reads whether they wait for it. */
export const slowDisk: Part = async ({ users = many, seconds, rounds }) => {
  const rate = {
    work: 'PATCH /users/{id}, fsync + 5 ms, beside GET',
    unit: '/s',
    target: atLeast(8),
    judged: 'ratio',
  } as const
  const latency = { work: '… GET /users/{id} p99 meanwhile', unit: 'ms', target: atMost(3), judged: 'ratio' } as const
  if (!hasProgram('strace')) {
    const skipped = 'needs strace'
    return [
      { ...rate, skipped },
      { ...latency, skipped },
    ]
  }
  const targets = userPaths(users)
  const measure = async (server: Server) => {
    await warmed(server, targets)
    const idle = await load(server, { targets, seconds })
    const one = { method: 'PATCH', targets, connections: 1 } as const
    await load(server, { ...one, body: changeBody('warm'), seconds: 1 })
    const alone = await load(server, { ...one, body: changeBody('alone'), seconds })
    const [together, reads] = await Promise.all([
      load(server, { method: 'PATCH', targets, body: changeBody('together'), seconds }),
      load(server, { targets, seconds }),
    ])
    return { alone: alone.perSecond, together: together.perSecond, idle: idle.p99Ms, busy: reads.p99Ms }
  }
  const { ours } = await alternately(rounds, {
    ours: () => withServer('ours', { users, writes: true, slowDisk: true }, measure),
  })
  return [
    {
      ...rate,
      bare: medianOf(ours, (sample) => sample.alone),
      reference: 'one client',
      ours: medianOf(ours, (sample) => sample.together),
    },
    {
      ...latency,
      bare: medianOf(ours, (sample) => sample.idle),
      reference: 'idle',
      ours: medianOf(ours, (sample) => sample.busy),
    },
  ]
}

export const password: Part = async ({ users = many, seconds, rounds, profile }) => {
  const targets = userPaths(users)
  const creates = { method: 'POST', targets: ['/users'], connections: 16, seconds } as const
  const setup = { users, writes: true, profile }
  const beside = (name: ServerName) => () =>
    withServer(name, setup, async (server) => {
      await warmed(server, targets)
      const [reads] = await Promise.all([
        load(server, { targets, seconds }),
        load(server, { ...creates, body: withPassword('beside') }),
      ])
      return reads.p99Ms
    })
  const found = await alternately(rounds, {
    argon2id: async () => Number(await run([process.execPath, join(root, 'bench/hash-rate.ts'), String(seconds)])),
    creates: () =>
      withServer('ours', setup, async (server) => {
        await load(server, { ...creates, body: withPassword('warm'), seconds: longWarmUpSeconds })
        return (await load(server, { ...creates, body: withPassword('new') })).perSecond
      }),
    bare: beside('bare'),
    ours: beside('ours'),
  })
  const middle = (samples: number[]) => medianOf(samples, (sample) => sample)
  return [
    {
      work: 'POST /users with password, 16 clients',
      unit: '/s',
      bare: middle(found.argon2id),
      reference: 'argon2id',
      ours: middle(found.creates),
      target: atLeast(0.85),
      judged: 'ratio',
    },
    {
      work: '… GET /users/{id} p99 meanwhile',
      unit: 'ms',
      bare: middle(found.bare),
      ours: middle(found.ours),
      target: atMost(1.2),
      judged: 'ratio',
    },
  ]
}
