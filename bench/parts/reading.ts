import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { load } from '../load.ts'
import { residentMegabytes, watchMemory } from '../processes.ts'
import { alternately, atLeast, atMost, medianOf, type Row } from '../report.ts'
import type { ServerName } from '../seed.ts'
import { ask, type Server, type Setup, withServer } from '../servers.ts'
import { readWholeList, stallOnWholeList } from '../whole-list.ts'
import { many, million, type Part, userPaths } from './settings.ts'

/** A second of the same load first: what is measured is a server that has been running. */
export async function warmed(server: Server, targets: readonly string[]): Promise<void> {
  await load(server, { targets, seconds: 1 })
}

export const get: Part = async ({ users, seconds, rounds, profile }) => {
  const counts = users === undefined ? [many, million] : [users]
  const measure = (name: ServerName, count: number) => {
    const targets = userPaths(count)
    return () =>
      withServer(name, { users: count, profile }, async (server) => {
        await warmed(server, targets)
        return load(server, { targets, seconds })
      })
  }
  await refuseDifferentAnswers(counts[0] as number)
  const works = counts.flatMap((count) => [
    [`bare ${count}`, measure('bare', count)] as const,
    [`ours ${count}`, measure('ours', count)] as const,
  ])
  const found = await alternately(rounds, Object.fromEntries(works))
  const rate = (name: ServerName, count: number) =>
    medianOf(found[`${name} ${count}`] ?? [], (sample) => sample.perSecond)
  const rows: Row[] = counts.map((count) => ({
    work: `GET /users/{id}, ${count.toLocaleString('en')} users`,
    unit: '/s',
    bare: rate('bare', count),
    ours: rate('ours', count),
    target: atLeast(0.85),
    judged: 'ratio',
  }))
  const [few, more] = counts
  if (few !== undefined && more !== undefined) {
    rows.push({
      work: 'the rate with 1,000,000 users ÷ with 100,000',
      unit: '',
      bare: rate('bare', more) / rate('bare', few),
      ours: rate('ours', more) / rate('ours', few),
      target: atLeast(0.95),
      judged: 'ratio',
    })
  }
  return rows
}

/** A comparison is one only where both give the same. */
async function refuseDifferentAnswers(count: number): Promise<void> {
  const paths = [userPaths(count)[1] as string, '/users?limit=3']
  const answers = (name: ServerName) =>
    withServer(name, { users: count }, async (server) => {
      const bodies: unknown[] = []
      for (const path of paths) bodies.push(JSON.parse((await ask(server, path)).body))
      return JSON.stringify(bodies)
    })
  const [bare, ours] = [await answers('bare'), await answers('ours')]
  if (bare !== ours) throw new Error(`The two servers differ:\n${bare}\n${ours}`)
}

export const page: Part = async ({ users = many, seconds, rounds, profile }) => {
  const targets = ['/users?limit=100']
  const measure = (name: ServerName) => () =>
    withServer(name, { users, profile }, async (server) => {
      await warmed(server, targets)
      return load(server, { targets, seconds })
    })
  const { bare, ours } = await alternately(rounds, { bare: measure('bare'), ours: measure('ours') })
  return [
    {
      work: `GET /users?limit=100, ${users.toLocaleString('en')} users`,
      unit: '/s',
      bare: medianOf(bare, (sample) => sample.perSecond),
      ours: medianOf(ours, (sample) => sample.perSecond),
      target: atLeast(0.85),
      judged: 'ratio',
    },
  ]
}

export const list: Part = async ({ users = million, rounds, profile }) => {
  const measure = (name: ServerName) => () =>
    withServer(name, { users, profile }, async (server) => {
      await sleep(1000)
      const before = residentMegabytes(server.pid)
      const mostMemory = watchMemory(server.pid)
      const { megabytes, seconds, firstByteMs } = await readWholeList(server)
      return { megabytes, rate: megabytes / seconds, firstByteMs, growth: mostMemory() - before }
    })
  const { bare, ours } = await alternately(rounds, { bare: measure('bare'), ours: measure('ours') })
  const [size, expected] = [medianOf(ours, (sample) => sample.megabytes), medianOf(bare, (sample) => sample.megabytes)]
  if (Math.abs(size / expected - 1) > 0.01) throw new Error(`One list has ${size} MB, the other ${expected} MB.`)
  const both = (figure: (sample: (typeof bare)[number]) => number) => ({
    bare: medianOf(bare, figure),
    ours: medianOf(ours, figure),
  })
  const work = `GET /users, ${users.toLocaleString('en')} users (${Math.round(size)} MB)`
  return [
    { work, unit: 'MB/s', ...both((sample) => sample.rate), target: atLeast(0.8), judged: 'ratio' },
    {
      work: '… growth of resident memory',
      unit: 'MB',
      ...both((sample) => sample.growth),
      target: atMost(64),
      judged: 'ours',
    },
    { work: '… first byte', unit: 'ms', ...both((sample) => sample.firstByteMs), target: atMost(50), judged: 'ours' },
  ]
}

/** Of 50 users, about one holds a role that the report lists: by the last two digits of the id. */
const powerfulShare = 50

/** The access report and a preview of the inactivity rule, beside the whole list of the same server. */
export const access: Part = async ({ users = million, rounds, profile }) => {
  const samples = await withServer('ours', { users, writes: true, profile }, async (server) => {
    const db = new DatabaseSync(join(server.folder as string, 'rollbook.db'))
    db.exec(`UPDATE users SET role = 'admin', document = json_set(document, '$.role', 'admin')
      WHERE substr(user_id, -2) < '05'`)
    // One of 20 has never signed in.
    db.prepare("UPDATE users SET last_login_at = ? WHERE substr(user_id, -2) >= '0d'").run(new Date().toISOString())
    db.close()
    await sleep(1000)
    const before = residentMegabytes(server.pid)
    const mostMemory = watchMemory(server.pid)
    const timed = async (work: () => Promise<unknown>) => {
      const begun = performance.now()
      await work()
      return performance.now() - begun
    }
    const report = () => readWholeList(server, '/access')
    const rule = { '*': { days: 90, notice_days: 14 } }
    const preview = async () => {
      const { status, body } = await ask(server, '/inactivity/preview', {
        method: 'POST',
        body: JSON.stringify({ inactivity: rule }),
      })
      if (status !== 200) throw new Error(body)
    }
    try {
      const found = await alternately(rounds, {
        list: () => timed(() => readWholeList(server)),
        report: () => timed(report),
        preview: () => timed(preview),
      })
      return { ...found, growth: mostMemory() - before }
    } finally {
      // A server that has ended has no memory to look at.
      mostMemory()
    }
  })
  const perSecond = (times: readonly number[]) => users / (medianOf(times, (ms) => ms) / 1000)
  const count = users.toLocaleString('en')
  return [
    {
      work: `GET /access, ${count} users, one of ${powerfulShare} with a role`,
      unit: 'users/s',
      bare: perSecond(samples.list),
      ours: perSecond(samples.report),
      reference: 'GET /users',
      target: atLeast(0.5),
      judged: 'ratio',
    },
    { work: '… growth of resident memory', unit: 'MB', ours: samples.growth, target: atMost(64), judged: 'ours' },
    {
      work: `POST /inactivity/preview, ${count} users, one of 20 inactive`,
      unit: 'ms',
      ours: medianOf(samples.preview, (ms) => ms),
      target: atMost(2000),
      judged: 'ours',
    },
  ]
}

export const streams: Part = async ({ users = million, seconds, rounds, profile }) => {
  const targets = userPaths(users)
  const measure = (setup: Setup) => () =>
    withServer('ours', setup, async (server) => {
      await warmed(server, targets)
      const idle = await load(server, { targets, seconds })
      const release = stallOnWholeList(server)
      const streaming = load(server, { targets: ['/users'], connections: 4, seconds: seconds + 2, mayFail: true })
      await sleep(1000)
      const busy = await load(server, { targets, seconds })
      await streaming
      release()
      return { idle: idle.p99Ms, busy: busy.p99Ms }
    })
  const { ours } = await alternately(rounds, { ours: measure({ users, profile }) })
  return [
    {
      work: 'GET /users/{id} p99 beside 4 streams and a stalled reader',
      unit: 'ms',
      bare: medianOf(ours, (sample) => sample.idle),
      reference: 'idle',
      ours: medianOf(ours, (sample) => sample.busy),
      target: atMost(5),
      judged: 'ratio',
    },
  ]
}
