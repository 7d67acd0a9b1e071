import { setTimeout as sleep } from 'node:timers/promises'
import { expected, type Send, withClients } from '../clients.ts'
import { hasPostgres, withDatabase } from '../postgres.ts'
import { atMost, median } from '../report.ts'
import { patchOf, scimOf } from '../scim-users.ts'
import { type Server, withNode } from '../servers.ts'
import type { Part } from './settings.ts'

const people = 50
const password = 'Vexil-plomb-Aruda-9-quorn'
const lookEveryMs = 2
const mostMs = 10_000

/** How long a session still works on one node after SCIM has disabled the user on another. */
export const deprovisioning: Part = async ({ users = 1000 }) => {
  const row = {
    work: 'SCIM: a disabled user is refused on another node, median',
    unit: 'ms',
    target: atMost(1000),
    judged: 'ours',
  } as const
  if (!hasPostgres) return [{ ...row, skipped: 'needs PostgreSQL' }]
  const waits = await withDatabase({ users: Math.min(users, 1000), writes: true }, (database) =>
    withNode('ours', { users }, database, (one) =>
      withNode('ours', { users }, database, (other) => disableAll(one, other)),
    ),
  )
  return [
    { ...row, ours: median(waits) },
    { work: '… slowest', unit: 'ms', ours: Math.max(...waits), target: atMost(1000), judged: 'ours' },
  ]
}

/** Returns the milliseconds from the response to the PATCH until the other node refuses the session. */
async function disableAll(one: Server, other: Server): Promise<number[]> {
  const waits: number[] = []
  await withClients(await scimOf(one), 1, async (scim) => {
    for (let i = 0; i < people; i++) waits.push(await disable(one, other, scim, `leaving-${i}`))
  })
  return waits
}

async function disable(one: Server, other: Server, scim: Send, username: string): Promise<number> {
  let [id, wait] = ['', 0]
  await withClients(one, 1, async (api) => {
    const made = await api({ method: 'POST', path: '/users', body: { username, password } })
    id = JSON.parse(expected(made, 201).body).user_id
  })
  const headers = { Cookie: await signIn(other, username) }
  await withClients({ ...other, headers }, 1, async (session) => {
    expected(await session({ method: 'GET', path: '/me' }), 200)
    const operation = { op: 'replace', path: 'active', value: false }
    expected(await scim({ method: 'PATCH', path: `/Users/${id}`, body: patchOf(operation) }), 200)
    const began = performance.now()
    while ((await session({ method: 'GET', path: '/me' })).status !== 401) {
      if (performance.now() - began > mostMs) throw new Error('The other node does not refuse the user.')
      await sleep(lookEveryMs)
    }
    wait = performance.now() - began
  })
  return wait
}

async function signIn({ port, prefix }: Server, username: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${prefix}/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  })
  if (answer.status !== 201) throw new Error(`The sign-in was refused: ${await answer.text()}`)
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ')
}
