/** What the guard measures: the rows that every change must keep. */
import { join } from 'node:path'
import { type Load, load } from '../load.ts'
import { many, userPaths } from '../parts/settings.ts'
import { signInPeople, signIns } from '../parts/sign-in.ts'
import { changeBody, newUserBody } from '../parts/writing.ts'
import { root, run } from '../processes.ts'
import type { Server, Setup } from '../servers.ts'

export type Counted = { requests: number; perSecond: number }

export type GuardedRow = {
  work: string
  /** How bare runs, or what is measured in its place. */
  bare: Partial<Setup> | (() => Promise<number>)
  settings?: Record<string, string>
  prepare?(server: Server): Promise<void>
  /** `series` differs from round to round, so that no two rounds make the same user. */
  measure(server: Server, series: string): Promise<Counted>
}

const roundSeconds = 1

function requests(work: string, bare: Partial<Setup>, plan: (series: string) => Omit<Load, 'seconds'>): GuardedRow {
  return { work, bare, measure: (server, series) => load(server, { ...plan(series), seconds: roundSeconds }) }
}

export function guardedRows(): Record<string, GuardedRow> {
  const targets = userPaths(many)
  return {
    get: requests('GET /users/{id}', {}, () => ({ targets })),
    page: requests('GET /users?limit=100', {}, () => ({ targets: ['/users?limit=100'] })),
    patch: requests('PATCH /users/{id}', { commit: 'each' }, (series) => ({
      method: 'PATCH',
      targets,
      body: changeBody(series),
    })),
    create: requests('POST /users', {}, (series) => ({
      method: 'POST',
      targets: ['/users'],
      body: newUserBody(series),
    })),
    'sign-in': {
      work: 'POST /sessions',
      bare: async () => Number(await run([process.execPath, join(root, 'bench/verify-rate.ts'), String(roundSeconds)])),
      // All sessions come from one address, which is otherwise allowed a hundred a second.
      settings: { ROLLBOOK_RATE_LIMIT: '0' },
      prepare: signInPeople,
      measure: (server) => signIns(server, roundSeconds),
    },
  }
}
