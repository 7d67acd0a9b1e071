import { fileLimits } from '../../src/core/configuration-file.ts'
import { expected, type Send, withClients } from '../clients.ts'
import { alternately, atMost, medianOf, type Row } from '../report.ts'
import { withServer } from '../servers.ts'
import type { Part } from './settings.ts'

const organizations = 10_000
const tenth = fileLimits.objects / 10

/** The largest configuration file: a plan of it, beside a plan of a tenth of it; and the apply. */
export const configuration: Part = async ({ users = 1000, rounds, profile }) =>
  withServer('ours', { users, writes: true, profile }, async (server) => {
    const rows: Row[] = []
    const [all, work] = [fileLimits.objects, `plan of ${fileLimits.objects.toLocaleString('en')} objects`]
    const limit = { unit: 'ms', target: atMost(2000), judged: 'ours' } as const
    await withClients(server, 1, async (send) => {
      const plan = (count: number) => async () => ({ ms: await postFile(send, count, '?dry_run=true') })
      // Node becomes fast after a number of them.
      for (let warmUp = 0; warmUp < 3; warmUp++) await plan(tenth)()
      const { few, ours } = await alternately(rounds, { few: plan(tenth), ours: plan(all) })
      const ms = (samples: typeof few) => medianOf(samples, (sample) => sample.ms)
      rows.push({ ...limit, work: `${work}, all new`, ours: ms(ours) })
      // Ten times the objects: a cost that grows with their square would be 100 times as high.
      const beside = { bare: ms(few), reference: `plan of ${tenth}`, ours: ms(ours), target: atMost(40) }
      rows.push({ work: '… beside a tenth of the objects', unit: 'ms', ...beside, judged: 'ratio' })
      rows.push({ work: '… its apply', unit: 'ms', ours: await postFile(send, all, ''), judged: 'ours' })
      const again = await alternately(rounds, { ours: plan(all) })
      rows.push({ ...limit, work: `${work}, none changed`, ours: ms(again.ours) })
      // The customers of a product, whom no file describes.
      for (let n = 0; n < organizations; n++) {
        const body = { name: `Customer ${n}`, external_id: `crm-${n}` }
        expected(await send({ method: 'POST', path: '/organizations', body }), 201)
      }
      const among = await alternately(rounds, { ours: plan(all) })
      rows.push({ ...limit, work: `… among ${organizations.toLocaleString('en')} organizations`, ours: ms(among.ours) })
    })
    return rows
  })

async function postFile(send: Send, objects: number, query: string): Promise<number> {
  const answer = await send({ method: 'POST', path: `/configuration${query}`, body: fileOf(objects) })
  return expected(answer, 200).ms
}

/** Of the kinds that can be many, with references to each other. */
function fileOf(objects: number) {
  const each = (share: number, make: (n: number) => object) =>
    Array.from({ length: objects * share }, (_, n) => make(n))
  return {
    version: 1,
    roles: each(0.1, (n) => ({ role: `role-${n}`, permissions: ['users:read', `reports:read-${n}`] })),
    groups: each(0.5, (n) => ({ name: `Team ${n}`, description: 'A team', role: `role-${n % (objects * 0.1)}` })),
    connections: each(0.05, (n) => ({
      name: `Company ${n}`,
      kind: 'oidc',
      issuer: `https://company-${n}.example`,
      client_id: 'rollbook',
      domains: [`company-${n}.example`],
      group_claim: 'groups',
      groups: { everyone: `Team ${n}` },
    })),
    keys: each(0.35, (n) => ({ name: `service-${n}`, permissions: ['users:read', 'groups:read'] })),
  }
}
