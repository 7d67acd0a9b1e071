import { fileLimits } from '../../src/core/configuration-file.ts'
import { expected, type Send, withClients } from '../clients.ts'
import { alternately, atMost, medianOf, type Row } from '../report.ts'
import { withServer } from '../servers.ts'
import type { Part } from './settings.ts'

const tenth = fileLimits.objects / 10

/** The largest configuration file: a plan of it, beside a plan of a tenth of it; and the apply. */
export const configuration: Part = async ({ users = 1000, rounds, profile }) =>
  withServer('ours', { users, writes: true, profile }, async (server) => {
    const rows: Row[] = []
    const objects = `${fileLimits.objects.toLocaleString('en')} objects`
    await withClients(server, 1, async (send) => {
      const plans = (work: string) => planRows(send, { work: `plan of ${objects}, ${work}`, rounds })
      const post = (query: string) => postFile(send, fileLimits.objects, query)
      rows.push(...(await plans('all new')))
      rows.push({ work: `apply of ${objects}, all new`, unit: 'ms', ours: await post(''), judged: 'ours' })
      rows.push(...(await plans('nothing to change')))
    })
    return rows
  })

async function planRows(send: Send, { work, rounds }: { work: string; rounds: number }): Promise<Row[]> {
  const plan = (count: number) => async () => ({ ms: await postFile(send, count, '?dry_run=true') })
  // Node becomes fast after a number of them.
  for (let warmUp = 0; warmUp < 3; warmUp++) await plan(tenth)()
  const { bare, ours } = await alternately(rounds, { bare: plan(tenth), ours: plan(fileLimits.objects) })
  const ms = (samples: typeof bare) => medianOf(samples, (sample) => sample.ms)
  return [
    { work, unit: 'ms', ours: ms(ours), target: atMost(2000), judged: 'ours' },
    {
      work: '… beside a tenth of the objects',
      unit: 'ms',
      bare: ms(bare),
      reference: `plan of ${tenth}`,
      ours: ms(ours),
      target: atMost(15),
      judged: 'ratio',
    },
  ]
}

async function postFile(send: Send, objects: number, query: string): Promise<number> {
  const answer = await send({ method: 'POST', path: `/configuration${query}`, body: fileOf(objects) })
  return expected(answer, 200).ms
}

/** Of the kinds that can be many, in equal parts, with references to each other. */
function fileOf(objects: number) {
  const each = (make: (n: number) => object) => Array.from({ length: objects / 5 }, (_, n) => make(n))
  return {
    version: 1,
    attributes: [],
    groups: [
      ...each((n) => ({ name: `Team ${n}`, description: 'A team', role: 'user' })),
      ...each((n) => ({ name: `Project ${n}`, description: 'A project' })),
    ],
    connections: each((n) => ({
      name: `Company ${n}`,
      kind: 'oidc',
      issuer: `https://company-${n}.example`,
      client_id: 'rollbook',
      domains: [`company-${n}.example`],
      group_claim: 'groups',
      groups: { everyone: `Team ${n}` },
    })),
    provisioning: each((n) => ({ name: `Directory ${n}`, profile: 'okta' })),
    keys: each((n) => ({ name: `service-${n}`, permissions: ['users:read', 'groups:read'] })),
  }
}
