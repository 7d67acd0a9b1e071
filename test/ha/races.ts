/** Promises that must hold when two nodes are asked at the same moment. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Answer, Api, Faults } from './api.ts'

type Apis = readonly [Api, Api]

/** 64 clients want one username at the same time, half of them on each node, in three spellings. */
export async function createOneUsername([a, b]: Apis, faults: Faults, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const name = `Héloïse-${round}`
    const spellings = [name, name.toUpperCase(), name.normalize('NFD')]
    const wishes = Array.from({ length: 64 }, (_, i) =>
      (i % 2 === 0 ? a : b).call('POST', '/users', { body: { username: spellings[i % 3] } }),
    )
    const answers = await Promise.all(wishes)
    const created = answers.filter((response) => response?.status === 201).length
    const taken = answers.filter((response) => response?.code === 'username_taken').length
    if (created !== 1 || taken !== 63) faults.add('Of 64 who want a username one gets it', tally(answers))
  }
}

const waysOut = [
  (api: Api, id: string) => api.call('PATCH', `/users/${id}`, { body: { role: 'user' } }),
  (api: Api, id: string) => api.call('PATCH', `/users/${id}`, { body: { active: false } }),
  (api: Api, id: string) => api.call('DELETE', `/users/${id}`),
]

/** Two administrators: each node demotes, disables or deletes one of them at the same moment. */
export async function demoteEachOther([a, b]: Apis, faults: Faults, rounds: number): Promise<void> {
  let x = await makeAdmin(a, 'x')
  let y = await makeAdmin(b, 'y')
  for (let round = 0; round < rounds; round++) {
    const first = waysOut[round % 3] as (typeof waysOut)[0]
    const second = waysOut[Math.floor(round / 3) % 3] as (typeof waysOut)[0]
    const answers = await Promise.all([first(a, x), second(b, y)])
    const codes = answers.map((response) => (response?.status === 200 ? 'ok' : (response?.code ?? '')))
    if (codes.sort().join() !== 'last_admin,ok') faults.add('Of two last administrators one stays', tally(answers))
    const admins = await a.list('/users?role=admin&active=true')
    if (admins?.length !== 1) faults.add('Of two last administrators one stays', `${admins?.length} are left`)
    x = await reinstate(a, x, `x-${round}`)
    y = await reinstate(b, y, `y-${round}`)
  }
}

async function makeAdmin(api: Api, username: string): Promise<string> {
  const response = await api.call('POST', '/users', { body: { username, role: 'admin' } })
  if (response?.status !== 201) throw new Error(`No administrator ${username}: ${response?.status} ${response?.code}`)
  return response.body.user_id
}

/** Makes the user an active administrator again; one that was deleted is replaced. */
async function reinstate(api: Api, id: string, username: string): Promise<string> {
  const response = await api.call('PATCH', `/users/${id}`, { body: { role: 'admin', active: true } })
  return response?.status === 404 ? makeAdmin(api, username) : id
}

const limitMs = 1000

/**
 * Revokes keys on one node while the other has them in its cache. Answers how long the slowest was still accepted there,
 * in milliseconds.
 *
 * @param cut what happens to the connections that listen: nothing, one cut just before, or cut whenever they come back
 */
export async function revokeAcross(
  [a, b]: Apis,
  faults: Faults,
  options: { rounds: number; cut: 'never' | 'once' | 'always'; superuserUrl: string },
): Promise<number> {
  const { rounds, cut } = options
  const admin = new pg.Client({ connectionString: options.superuserUrl })
  // A connection that breaks between two statements says so with the next one.
  admin.on('error', () => {})
  await admin.connect()
  let longest = 0
  let endedCount = 0
  const cutListeners = async () => {
    const { rowCount } = await admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rollbook listener'",
    )
    endedCount += rowCount ?? 0
  }
  try {
    for (let round = 0; round < rounds; round++) {
      const [here, there] = round % 2 === 0 ? [a, b] : [b, a]
      const body = { name: `to be revoked ${round}, ${cut}`, permissions: ['users:read'] }
      const created = await here.call('POST', '/keys', { body })
      if (created?.status !== 201) throw new Error(`No key was made: ${created?.status} ${created?.code}`)
      const key: string = created.body.key
      const use = (api: Api) => api.call('GET', '/users?limit=1', { key })
      for (const api of [here, there, there]) {
        if ((await use(api))?.status !== 200) faults.add('A new key counts on every node at once', api.node)
      }
      if (cut !== 'never') await cutListeners()
      await here.call('DELETE', `/keys/${created.body.key_id}`)
      const revoked = performance.now()
      if ((await use(here))?.status !== 401) faults.add('A revocation counts at once where it was done', here.node)
      let acceptedMs = 0
      for (;;) {
        if (cut === 'always') await cutListeners()
        const elapsedMs = performance.now() - revoked
        const response = await use(there)
        if (response?.status === 401) break
        acceptedMs = elapsedMs
        if (elapsedMs > 5 * limitMs) break
        await sleep(10)
      }
      longest = Math.max(longest, acceptedMs)
      if (acceptedMs > limitMs) {
        faults.add('A revoked key is refused everywhere within a second', `after ${Math.round(acceptedMs)} ms, ${cut}`)
      }
      // Both listen again, so that each round begins alike.
      if (cut !== 'never') await sleep(1000)
    }
    if (cut !== 'never' && endedCount < 2 * rounds) {
      throw new Error(`Only ${endedCount} listening connections were found to be cut in ${rounds} rounds.`)
    }
  } finally {
    await admin.end()
  }
  return longest
}

function tally(answers: readonly (Answer | undefined)[]): string {
  const counts = new Map<string, number>()
  for (const response of answers) {
    const kind = response === undefined ? 'no answer' : `${response.status} ${response.code}`.trim()
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return [...counts].map(([kind, count]) => `${count} × ${kind}`).join(', ')
}
