import { load } from '../load.ts'
import { alternately, atLeast, medianOf } from '../report.ts'
import { withPostgresServer, withServer } from '../servers.ts'
import { many, type Part, userPaths } from './settings.ts'

/** "At most one and a half times as slow" as a rate. */
const target = atLeast(0.667)
const change = (series: string) => JSON.stringify({ first_name: `${series} %n` })

/** What the audit record and the event of each change cost: ours beside ours without them. */
export const journal: Part = (settings) => measured('', 1, withServer, settings)

export const postgresJournal: Part = (settings) => measured('PostgreSQL: ', 4, withPostgresServer, settings)

type Serve = typeof withServer | typeof withPostgresServer

async function measured(
  on: string,
  warmUpSeconds: number,
  serve: Serve,
  { users = many, seconds, rounds, profile }: Parameters<Part>[0],
) {
  const targets = userPaths(users)
  const measure = (withoutJournal: boolean) => () =>
    serve('ours', { users, writes: true, profile, withoutJournal }, async (server) => {
      const one = { method: 'PATCH', targets, connections: 1 } as const
      await load(server, { method: 'PATCH', targets, body: change('warm'), seconds: warmUpSeconds })
      const alone = await load(server, { ...one, body: change('alone'), seconds })
      const together = await load(server, { method: 'PATCH', targets, body: change('together'), seconds })
      return { alone: alone.perSecond, together: together.perSecond }
    })
  const found = await alternately(rounds, { without: measure(true), with: measure(false) })
  const row = (work: string, figure: 'alone' | 'together') => ({
    work: `${on}PATCH /users/{id} with its audit record and event, ${work}`,
    unit: '/s',
    bare: medianOf(found.without, (sample) => sample[figure]),
    reference: 'without',
    ours: medianOf(found.with, (sample) => sample[figure]),
    target,
    judged: 'ratio' as const,
  })
  return [row('one client', 'alone'), row('32 clients', 'together')]
}
