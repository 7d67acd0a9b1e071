/** Reading within one organization, next to the same without organizations, by one client in turn. */

import { load } from '../load.ts'
import { largeOrganization, seededWithOrganizations, usersOfLarge } from '../organizations.ts'
import { alternately, atMost, medianOf, type Row } from '../report.ts'
import { ask, type Server, withPostgresServer, withServer } from '../servers.ts'
import { randomNumbers, searchWords } from '../users.ts'
import { readWholeList } from '../whole-list.ts'
import { million, type Part, type Settings } from './settings.ts'

/**
 * `within` has all users in organizations, `same` as many users as the large one, without organizations. A search finds in one index
 * what all users have, so it is compared with `all`: all users without organizations.
 */
type Served = Record<'within' | 'same' | 'all', Server>

export const organizations: Part = async (settings) => {
  const users = settings.users ?? million
  const { profile } = settings
  const store = await seededWithOrganizations(users)
  return withServer('ours', { users, profile, other: { store } }, (within) =>
    withServer('ours', { users: usersOfLarge(users) }, (same) =>
      withServer('ours', { users }, (all) => measure('', settings, users, { within, same, all })),
    ),
  )
}

export const postgresOrganizations: Part = async (settings) => {
  const users = settings.users ?? million
  const { profile } = settings
  return withPostgresServer('ours', { users, profile, inOrganizations: true }, (within) =>
    withPostgresServer('ours', { users: usersOfLarge(users) }, (same) =>
      withPostgresServer('ours', { users }, (all) => measure('PostgreSQL: ', settings, users, { within, same, all })),
    ),
  )
}

/** As a caller who is limited to the large organization: the requests are the same. */
async function measure(
  engine: string,
  settings: Settings,
  users: number,
  { within, ...others }: Served,
): Promise<Row[]> {
  const key = {
    name: `bench ${Date.now()}`,
    permissions: ['users:read@organization'],
    organization_id: largeOrganization,
  }
  const { status, body } = await ask(within, '/keys', { method: 'POST', body: JSON.stringify(key) })
  if (status !== 201) throw new Error(body)
  const { key_id, key: secret } = JSON.parse(body)
  try {
    return await measureAll(engine, settings, users, {
      ...others,
      within: { ...within, headers: { 'X-API-Key': secret } },
    })
  } finally {
    await ask(within, `/keys/${key_id}`, { method: 'DELETE' })
  }
}

async function measureAll(engine: string, settings: Settings, users: number, served: Served): Promise<Row[]> {
  const large = usersOfLarge(users)
  const random = randomNumbers()
  const places = Array.from({ length: 500 }, () => random() % large)
  const search = searchWords(500).map((text) => `/users?limit=20&count=true&q=${encodeURIComponent(text)}`)
  const count = (number: number) => number.toLocaleString('en')
  const rows = [
    await latency(settings, served, {
      work: `${engine}a page within an organization of ${count(large)} among ${count(users)} users`,
      targets: ['/users?limit=50'],
    }),
    await latency(settings, served, {
      work: '… a page anywhere',
      targets: places.map((offset) => `/users?limit=50&offset=${offset}`),
    }),
    await latency(settings, served, { work: '… a page by username', targets: ['/users?limit=50&sort=username'] }),
    await latency(settings, served, { work: '… a count', targets: ['/users?limit=1&count=true'] }),
    await latency(settings, served, { work: '… two or three words and a count', targets: search, to: 'all' }),
    await wholeList(settings, served),
    await latency(settings, served, { work: '… statistics', targets: ['/statistics'] }),
  ]
  return rows
}

type Asked = { work: string; targets: readonly string[]; to?: 'same' | 'all' }

async function latency({ seconds, rounds }: Settings, served: Served, { work, targets, to = 'same' }: Asked) {
  const measured = async (server: Server, paths: readonly string[]) => {
    // The totals of many users are counted once in ten seconds.
    if (paths.length === 1) await ask(server, paths[0] as string)
    await load(server, { targets: paths, connections: 1, seconds: 1 })
    return load(server, { targets: paths, connections: 1, seconds })
  }
  const found = await alternately(rounds, {
    without: () => measured(served[to], targets),
    within: () => measured(served.within, targets),
  })
  const milliseconds = (samples: typeof found.within) => medianOf(samples, ({ perSecond }) => 1000 / perSecond)
  return rowOf(work, 'ms', milliseconds(found.without), milliseconds(found.within))
}

/** In seconds, so that less is better as in the other rows. */
async function wholeList({ rounds }: Settings, { same, within }: Served): Promise<Row> {
  const found = await alternately(rounds, {
    without: () => readWholeList(same),
    within: () => readWholeList(within),
  })
  const secondsOf = (samples: typeof found.within) => medianOf(samples, ({ seconds }) => seconds)
  return rowOf('… the whole list', 's', secondsOf(found.without), secondsOf(found.within))
}

function rowOf(work: string, unit: string, bare: number, ours: number): Row {
  return { work, unit, bare, reference: 'without', ours, target: atMost(1.2), judged: 'ratio' }
}
