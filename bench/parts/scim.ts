/** SCIM next to our own API, in the same process: what the protocol costs. */
import { rmSync } from 'node:fs'
import { type Send, withClients } from '../clients.ts'
import { load } from '../load.ts'
import { atLeast, atMost, median, type Row } from '../report.ts'
import { copyWithScim, newScimUser, patchOf, scimOf } from '../scim-users.ts'
import { type Server, withServer } from '../servers.ts'
import { users } from '../users.ts'
import { deprovisioning } from './deprovisioning.ts'
import { many, million, type Part } from './settings.ts'

export const scim: Part = async (settings) => [
  ...(await scimPage(settings)),
  ...(await scimFilter(settings)),
  ...(await scimSync(settings)),
  ...(await deprovisioning(settings)),
]

/** A page of users who have what only SCIM knows, each in a group, and one of users who have nothing of it. */
export const scimPage: Part = async ({ users = many, seconds, rounds, profile }) => {
  const one = { api: ['/users?limit=100'], scim: ['/Users?count=100'] }
  // Requests for the same page share a read if they arrive together; with these, few do.
  const sizes = Array.from({ length: 51 }, (_, i) => 50 + i)
  const other = { api: sizes.map((n) => `/users?limit=${n}`), scim: sizes.map((n) => `/Users?count=${n}`) }
  const measure = async (server: Server) => ({
    same: await inTurn(rounds, server, one, seconds),
    mixed: await inTurn(rounds, server, other, seconds),
  })
  const folder = await copyWithScim(users)
  try {
    const setup = { users, profile, other: { store: folder } }
    const provisioned = await withServer('ours', setup, measure)
    const plain = await withServer('ours', { users, writes: true, profile }, measure)
    return [
      row(`SCIM: a page of 100 users, ${users.toLocaleString('en')} users`, 'GET /users', provisioned.same),
      row('… of users without attributes of SCIM', 'GET /users', plain.same),
      row('SCIM: pages of 50 to 100 users in turn', 'GET /users', provisioned.mixed),
      row('… of users without attributes of SCIM', 'GET /users', plain.mixed),
    ]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export const scimFilter: Part = async ({ users: count = million, seconds, rounds, profile }) => {
  const step = Math.ceil(count / 50_000)
  const names: string[] = []
  let i = 0
  for (const { username } of users(count)) if (i++ % step === 0) names.push(username)
  const api = names.map((name) => `/users?username=${encodeURIComponent(name)}&limit=1`)
  const scim = names.map((name) => `/Users?filter=${encodeURIComponent(`userName eq ${JSON.stringify(name)}`)}`)
  const found = await withServer('ours', { users: count, writes: true, profile }, (server) =>
    inTurn(rounds, server, { api, scim }, seconds),
  )
  return [row(`SCIM: filter=userName eq "…", ${count.toLocaleString('en')} users`, 'GET /users?username=', found)]
}

type Rates = Record<'api' | 'scim', number[]>

async function inTurn(
  rounds: number,
  server: Server,
  { api, scim }: Record<keyof Rates, readonly string[]>,
  seconds: number,
): Promise<Rates> {
  const client = await scimOf(server)
  await load(server, { targets: api, seconds: 2 })
  await load(client, { targets: scim, seconds: 2 })
  const found: Rates = { api: [], scim: [] }
  for (let round = 0; round < rounds; round++) {
    found.api.push((await load(server, { targets: api, seconds })).perSecond)
    found.scim.push((await load(client, { targets: scim, seconds })).perSecond)
  }
  return found
}

function row(work: string, reference: string, { api, scim }: Rates): Row {
  return {
    work,
    unit: '/s',
    bare: median(api),
    reference,
    ours: median(scim),
    target: atLeast(0.5),
    judged: 'ratio',
  }
}

const connections = 8
const changedOneIn = 10

/** All users of a company for the first time: each is looked for, created, read, and some are changed. */
export const scimSync: Part = async ({ users: count = many, profile }) => {
  const failures = new Map<string, number>()
  const began = performance.now()
  let requests = 0
  await withServer('ours', { users: 1000, writes: true, profile }, async (server) =>
    withClients(await scimOf(server), connections, async (send, client) => {
      const counted: Send = async (sent) => {
        const answer = await send(sent)
        requests++
        if (answer.status >= 300) {
          const kind = `${sent.method} ${answer.status}`
          failures.set(kind, (failures.get(kind) ?? 0) + 1)
        }
        return answer
      }
      for (let i = client; i < count; i += connections) await syncOne(counted, i)
    }),
  )
  const seconds = (performance.now() - began) / 1000
  const work = `SCIM: sync of ${count.toLocaleString('en')} users, ${connections} connections`
  for (const [kind, times] of failures) console.error(`${work}: ${kind}, ${times} times`)
  const refused = [...failures.values()].reduce((sum, times) => sum + times, 0)
  return [
    { work: `${work}, requests`, unit: '/s', ours: requests / seconds, judged: 'ours' },
    { work: '… of them without success', unit: '', ours: refused, target: atMost(0), judged: 'ours' },
  ]
}

async function syncOne(send: Send, i: number): Promise<void> {
  const body = newScimUser('sync', i)
  const filter = `/Users?filter=${encodeURIComponent(`userName eq "${body.userName}"`)}`
  const made = await send({ method: 'POST', path: '/Users', body })
  if (made.status !== 201) return
  const { id } = JSON.parse(made.body)
  if (i % changedOneIn === 0) {
    const operation = { op: 'replace', path: 'title', value: 'Senior engineer' }
    await send({ method: 'PATCH', path: `/Users/${id}`, body: patchOf(operation) })
  }
  await send({ method: 'GET', path: filter })
  await send({ method: 'GET', path: `/Users/${id}` })
}
