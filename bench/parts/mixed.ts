import { residentMegabytes } from '../processes.ts'
import { atMost, median } from '../report.ts'
import { withServer } from '../servers.ts'
import { type Ask, askSteadily } from '../steady.ts'
import { randomNumbers, searchTexts } from '../users.ts'
import { many, type Part, userPaths } from './settings.ts'

const perSecond = 200

/** Memory under a steady mix of requests: `--seconds 900` is a quarter of an hour. */
export const mixed: Part = async ({ users = many, seconds, profile }) =>
  withServer('ours', { users, writes: true, profile }, async (server) => {
    const memory: number[] = []
    const timer = setInterval(() => memory.push(residentMegabytes(server.pid)), 1000)
    const latencies = await askSteadily(server, mixOf(users), { seconds, perSecond }).finally(() =>
      clearInterval(timer),
    )
    const sorted = latencies.toSorted((a, b) => a - b)
    // What it has come to, and not what it passes through.
    const last = memory.slice(-Math.ceil(memory.length / 5))
    return [
      {
        work: `${perSecond} mixed requests per second for ${seconds} s, resident memory at the end`,
        unit: 'MB',
        ours: median(last),
        target: atMost(200),
        judged: 'ours',
      },
      { work: '… most', unit: 'MB', ours: Math.max(...memory), judged: 'ours' },
      { work: '… p99 of all', unit: 'ms', ours: sorted[Math.floor(sorted.length * 0.99)] ?? 0, judged: 'ours' },
    ]
  })

/** Draws 60 % reads of a user, 10 % pages, 5 % searches, 15 % changes and 10 % new users. */
function mixOf(users: number): () => Ask {
  const [random, paths, texts] = [randomNumbers(), userPaths(users), searchTexts(users, 1000)]
  let number = 0
  return () => {
    const kind = random() % 100
    const path = paths[random() % paths.length] as string
    number++
    if (kind < 60) return { method: 'GET', path }
    if (kind < 70) return { method: 'GET', path: '/users?limit=100' }
    if (kind < 75) {
      return {
        method: 'GET',
        path: `/users?limit=20&q=${encodeURIComponent(texts[random() % texts.length] as string)}`,
      }
    }
    if (kind < 90) return { method: 'PATCH', path, body: JSON.stringify({ first_name: `Ada ${number}` }) }
    const body = {
      username: `mixed.${number}`,
      email: `mixed${number}@example.com`,
      first_name: 'Ada',
      last_name: 'Lovelace',
    }
    return { method: 'POST', path: '/users', body: JSON.stringify(body) }
  }
}
