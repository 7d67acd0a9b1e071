/**
 * Figures for operators: what happened day by day, and how many users there are. tally.ts counts when something happens,
 * so that a request never reads a year of events.
 */

import type { Scope } from '../../core/scope.ts'
import { timestamp } from '../../lib/instant.ts'
import { claimRun } from '../../store/claim-run.ts'
import type { ChangeContext } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import { findState } from '../../store/state.ts'
import type { QueryHandlers } from '../../store/storage/registry.ts'
import type { Statistics } from './schema.ts'
import * as store from './store.ts'
import type { Total } from './total.ts'
import { countUsersWithin } from './within-organization.ts'

const dayMs = 86_400_000

type Day = Statistics['days'][number]
type Since = { sign_ins: string; active_users: string }

/** `signUps`: by day, where they were read from the users themselves. */
export type Figures = { totals: Statistics['totals']; signUps?: Record<string, number> }

/**
 * The days up to today, in UTC. Within an organization, sign-ins and active users are not counted: null.
 *
 * @param signUps of the organization; without them, the counts of everyone are read
 */
export async function daily(
  db: Db,
  { days, now, signUps }: { days: number; now: number } & Pick<Figures, 'signUps'>,
): Promise<Day[]> {
  const dates = Array.from({ length: days }, (_, n) => dateOf(now - (days - 1 - n) * dayMs))
  const [from, today] = [dates[0] as string, dates.at(-1) as string]
  if (signUps !== undefined) {
    const uncounted = { sign_ins: null, failed_sign_ins: null, active_users: null }
    return dates.map((date) => ({ date, sign_ups: signUps[date] ?? 0, ...uncounted, complete: date < today }))
  }
  const counts = new Map<string, number>()
  for (const { date, kind, count } of await store.listCounts(db, from, today)) counts.set(`${date} ${kind}`, count)
  const since = await findSince(db)
  return dates.map((date) => {
    const count = (kind: store.Kind) => counts.get(`${date} ${kind}`) ?? 0
    const countSince = (kind: store.Kind, first: string | undefined) =>
      first !== undefined && date < first ? null : count(kind)
    return {
      date,
      sign_ups: count('sign_ups'),
      sign_ins: countSince('sign_ins', since?.sign_ins),
      failed_sign_ins: countSince('failed_sign_ins', since?.sign_ins),
      active_users: countSince('active_users', since?.active_users),
      complete: date < today,
    }
  })
}

/** Undefined in a store that was counted from its first day. */
async function findSince(db: Db): Promise<Since | undefined> {
  const state = await findState(db, 'statistics_since')
  return state === undefined ? undefined : (JSON.parse(state) as Since)
}

/** What is counted in the users themselves, which reads all of them. */
async function figures(
  db: Db,
  { roles, now, scope }: { roles: readonly string[]; now: number; scope: Scope },
): Promise<Figures> {
  if (scope.kind === 'everyone') return { totals: await totals(db, await store.countUsers(db, now), { roles, scope }) }
  const { rows, signUps } = await countUsersWithin(db, scope, now)
  return { totals: await totals(db, rows, { roles: [], scope }), signUps }
}

async function totals(
  db: Db,
  rows: readonly Total[],
  { roles, scope }: { roles: readonly string[]; scope: Scope },
): Promise<Statistics['totals']> {
  const owners = await store.countFactorOwners(db, scope)
  const countOf = (kind: Total['kind']) => rows.find((row) => row.kind === kind)?.count ?? 0
  const byRole = new Map(roles.map((role) => [role, 0]))
  for (const { kind, name, count } of rows) if (kind === 'role') byRole.set(name, count)
  const users = [...byRole.values()].reduce((sum, count) => sum + count, 0)
  const [inactive, expired, service_accounts] = [countOf('inactive'), countOf('expired'), countOf('service_accounts')]
  const people = users - service_accounts
  const without_password = countOf('without_password') - service_accounts
  return {
    users,
    active: users - inactive - expired,
    inactive,
    expired,
    service_accounts,
    with_password: people - without_password,
    without_password,
    never_signed_in: people - countOf('signed_in'),
    with_factor: owners.users,
    with_totp: owners.totp,
    with_passkey: owners.passkey,
    groups: countOf('groups'),
    in_groups: countOf('in_groups'),
    roles: [...byRole].map(([role, count]) => ({ role, users: count })),
  }
}

/** Deletes who was active on past days; the numbers stay. Waits a day longer, for late entries. */
export async function tidy(ctx: ChangeContext, { everyMs }: { everyMs: number }): Promise<number> {
  if (!(await claimRun(ctx, 'statistics.tidy', everyMs))) return 0
  return store.deletePresencesBefore(ctx.db, dateOf(ctx.now - dayMs))
}

function dateOf(ms: number): string {
  return timestamp(ms).slice(0, 10)
}

export const queries = {
  'statistics.figures': { run: figures, isQuick: () => false, isBounded: false },
} satisfies QueryHandlers
