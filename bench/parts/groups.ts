import { expected, type Send, withClients } from '../clients.ts'
import { atMost, type Row } from '../report.ts'
import { newGroup, patchOf, scimOf } from '../scim-users.ts'
import { type Server, withServer } from '../servers.ts'
import { randomNumbers, users } from '../users.ts'
import { many, type Part } from './settings.ts'

const connections = 4

/** One member goes and comes back, in a group of everyone and in a small one, in turn: other load affects both. */
export const groups: Part = async ({ users: count = many, seconds, rounds, profile }) =>
  withServer('ours', { users: count, writes: true, profile }, async (api) => {
    const server = await scimOf(api)
    // A connection may not change administrators.
    const ids = [...users(count)].filter(({ role }) => role === 'user').map(({ user_id }) => user_id)
    const few = ids.slice(0, 10)
    const [large, small] = [await makeGroup(server, 'Everyone', ids), await makeGroup(server, 'Few', few)]
    await changeMembers(server, { small, large, ids, few }, 1)
    const { times, changes } = await changeMembers(server, { small, large, ids, few }, seconds * rounds)
    const figure = (share: number) => ({ bare: quantile(times.small, share), ours: quantile(times.large, share) })
    const rows: Row[] = [
      {
        work: `SCIM: PATCH of one member, group of ${ids.length.toLocaleString('en')}, p99`,
        unit: 'ms',
        ...figure(0.99),
        reference: 'group of 10',
        target: atMost(2),
        judged: 'ratio',
      },
      { work: '… median', unit: 'ms', ...figure(0.5), reference: 'group of 10', judged: 'ratio' },
      { work: '… measured changes of each', unit: '', ours: changes / 2, judged: 'ours' },
    ]
    return rows
  })

async function makeGroup(server: Server, name: string, ids: readonly string[]): Promise<string> {
  let id = ''
  await withClients(server, 1, async (send) => {
    const answer = await send({ method: 'POST', path: '/Groups', body: newGroup(name, ids) })
    id = JSON.parse(expected(answer, 201).body).id
  })
  return id
}

type Plan = { small: string; large: string; ids: readonly string[]; few: readonly string[] }
type Times = { small: number[]; large: number[] }

async function changeMembers(server: Server, { small, large, ids, few }: Plan, seconds: number) {
  const times: Times = { small: [], large: [] }
  const until = performance.now() + seconds * 1000
  const random = randomNumbers()
  await withClients(server, connections, async (send) => {
    while (performance.now() < until) {
      const [one, other] = [few[random() % few.length] as string, ids[random() % ids.length] as string]
      for (const op of ['remove', 'add'] as const) {
        times.small.push(await changeMember(send, `/Groups/${small}`, op, one))
        times.large.push(await changeMember(send, `/Groups/${large}`, op, other))
      }
    }
  })
  return { times, changes: times.small.length + times.large.length }
}

async function changeMember(send: Send, path: string, op: 'add' | 'remove', id: string): Promise<number> {
  const operation =
    op === 'add' ? { op, path: 'members', value: [{ value: id }] } : { op, path: `members[value eq "${id}"]` }
  return expected(await send({ method: 'PATCH', path, body: patchOf(operation) }), 204).ms
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0
}
