import { join } from 'node:path'
import { root, run } from '../processes.ts'
import { alternately, atLeast, medianOf } from '../report.ts'
import { ask, type Server, withServer } from '../servers.ts'
import type { Part } from './settings.ts'

const [people, clients] = [64, 16]
const password = 'Vexil-plomb-Aruda-9-quorn'

/** What a sign-in costs beside the one thing that it must: two commits, and the reads before them. */
export const signIn: Part = async ({ users = 1000, seconds, rounds, profile }) => {
  // All of them come from one address, which is otherwise allowed a hundred a second.
  const setup = { users, writes: true, profile, settings: { ROLLBOOK_RATE_LIMIT: '0' } }
  const found = await alternately(rounds, {
    argon2id: async () => Number(await run([process.execPath, join(root, 'bench/verify-rate.ts'), String(seconds)])),
    ours: () =>
      withServer('ours', setup, async (server) => {
        await signInPeople(server)
        await signIns(server, 1)
        return (await signIns(server, seconds)).perSecond
      }),
  })
  const middle = (samples: number[]) => medianOf(samples, (sample) => sample)
  return [
    {
      work: `POST /sessions, ${clients} clients`,
      unit: '/s',
      bare: middle(found.argon2id),
      reference: 'argon2id',
      ours: middle(found.ours),
      target: atLeast(0.85),
      judged: 'ratio',
    },
  ]
}

/** Makes the users that `signIns` signs in. */
export async function signInPeople(server: Server): Promise<void> {
  await Promise.all(Array.from({ length: people }, (_, i) => makePerson(server, i)))
}

async function makePerson(server: Server, i: number): Promise<void> {
  const body = JSON.stringify({ username: `person-${i}`, password })
  const { status } = await ask(server, '/users', { method: 'POST', body })
  if (status !== 201) throw new Error(`A person was not made: ${status}`)
}

export async function signIns({ port, prefix }: Server, seconds: number) {
  const began = performance.now()
  const until = began + seconds * 1000
  let next = 0
  let done = 0
  async function client(): Promise<void> {
    while (performance.now() < until) {
      const answer = await fetch(`http://127.0.0.1:${port}${prefix}/sessions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: `person-${next++ % people}`, password }),
      })
      await answer.arrayBuffer()
      if (answer.status !== 201) throw new Error(`A sign-in was answered ${answer.status}.`)
      done++
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return { requests: done, perSecond: done / ((performance.now() - began) / 1000) }
}
