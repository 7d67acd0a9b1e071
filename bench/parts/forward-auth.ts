import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { load } from '../load.ts'
import { freePort, launch, root } from '../processes.ts'
import { alternately, atMost, medianOf, type Row } from '../report.ts'
import { ask, type Server, withServer } from '../servers.ts'
import type { Part } from './settings.ts'

const targets = ['/verify/nginx']
const password = 'seven grey herons over the weir'

/** What a proxy waits for before each request of the product: the answer to a session that is remembered. */
export const forwardAuth: Part = async ({ users = 1000, seconds, rounds, profile }) => {
  const measured = (connections: number) => async (server: Server) => {
    await load(server, { targets, connections, seconds: 1 })
    return load(server, { targets, connections, seconds })
  }
  const rows: Row[] = []
  for (const connections of [1, 32]) {
    const { bare, ours } = await alternately(rounds, {
      bare: () => withBareRoute(measured(connections)),
      ours: () =>
        withServer('ours', { users, writes: true, profile }, async (server) =>
          measured(connections)({ ...server, headers: await signedIn(server) }),
        ),
    })
    const p99 = { bare: medianOf(bare, (sample) => sample.p99Ms), ours: medianOf(ours, (sample) => sample.p99Ms) }
    const by = connections === 1 ? 'alone' : `${connections} at once`
    rows.push(
      { work: `forward-auth of a session, p99, ${by}`, unit: 'ms', ...p99, judged: 'ratio' },
      {
        work: '… more than a bare Fastify route',
        unit: 'ms',
        ours: p99.ours - p99.bare,
        target: atMost(2),
        judged: 'ours',
      },
    )
  }
  return rows
}

async function signedIn(server: Server): Promise<Record<string, string>> {
  const username = 'forward-auth'
  await ask(server, '/users', { method: 'POST', body: JSON.stringify({ username, password }) })
  const answer = await fetch(`http://127.0.0.1:${server.port}/auth/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  })
  if (answer.status !== 201) throw new Error(`The sign-in failed: ${await answer.text()}`)
  const cookies = answer.headers.getSetCookie().map((line) => line.split(';', 1)[0])
  return { Cookie: cookies.join('; '), 'X-Original-URI': '/orders?page=2', 'X-Original-Method': 'GET' }
}

async function withBareRoute<T>(work: (server: Server) => Promise<T>): Promise<T> {
  const port = await freePort()
  const child = launch([process.execPath, join(root, 'bench/bare-route.ts'), String(port)])
  const server: Server = { port, prefix: '', headers: {}, pid: child.pid as number, startedInMs: 0 }
  try {
    const isUp = () =>
      ask(server, '/verify/nginx').then(
        ({ status }) => status === 200,
        () => false,
      )
    while (!(await isUp())) {
      if (child.exitCode !== null) throw new Error('The bare server ended instead of starting.')
      await sleep(5)
    }
    return await work(server)
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    if (child.kill('SIGTERM')) await ended
  }
}
