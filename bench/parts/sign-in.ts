import { join } from 'node:path'
import { load, type Measured } from '../load.ts'
import { root, run } from '../processes.ts'
import { alternately, atLeast, medianOf } from '../report.ts'
import { ask, type Server, withServer } from '../servers.ts'
import { longWarmUpSeconds, type Part } from './settings.ts'

const [people, clients] = [64, 16]
const password = 'Vexil-plomb-Aruda-9-quorn'

/** What a sign-in costs beside its hash: two commits, one of them durable, and the reads before them. */
export const signIn: Part = async ({ users = 1000, seconds, rounds, profile }) => {
  // All of them come from one address, which is otherwise allowed a hundred a second.
  const setup = { users, writes: true, profile, settings: { ROLLBOOK_RATE_LIMIT: '0' } }
  const found = await alternately(rounds, {
    argon2id: async () => Number(await run([process.execPath, join(root, 'bench/verify-rate.ts'), String(seconds)])),
    ours: () =>
      withServer('ours', setup, async (server) => {
        await signInPeople(server)
        await signIns(server, longWarmUpSeconds)
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

/** Without a key, as browsers sign in. */
export function signIns(server: Server, seconds: number): Promise<Measured> {
  return load(
    { ...server, headers: {} },
    {
      method: 'POST',
      targets: Array.from({ length: people }, (_, i) => `/sessions\tperson-${i}`),
      body: JSON.stringify({ username: '%t', password }),
      connections: clients,
      seconds,
    },
  )
}
