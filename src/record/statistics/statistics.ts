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
import { countSignUpsWithin } from './within-organization.ts'

const dayMs = 86_400_000

type Day = Statistics['days'][number]
type Since = { sign_ins: string; active_users: string }

/** The days up to today, in UTC. */
export async function daily(db: Db, { days, now, scope }: { days: number; now: number; scope: Scope }): Promise<Day[]> {
  const dates = Array.from({ length: days }, (_, n) => dateOf(now - (days - 1 - n) * dayMs))
  const [from, today] = [dates[0] as string, dates.at(-1) as string]
  if (scope.kind === 'organization') return dailyWithin(db, scope, dates)
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

/** Sign-ins and active users are counted of everyone only. */
async function dailyWithin(db: Db, scope: Scope, dates: readonly string[]): Promise<Day[]> {
  const signUps = await countSignUpsWithin(db, scope, dates[0] as string)
  const uncounted = { sign_ins: null, failed_sign_ins: null, active_users: null }
  return dates.map((date, n) => ({
    date,
    sign_ups: signUps.get(date) ?? 0,
    ...uncounted,
    complete: n < dates.length - 1,
  }))
}

/** Undefined in a store that was counted from its first day. */
async function findSince(db: Db): Promise<Since | undefined> {
  const state = await findState(db, 'statistics_since')
  return state === undefined ? undefined : (JSON.parse(state) as Since)
}

export async function totals(
  db: Db,
  { roles, now, scope }: { roles: readonly string[]; now: number; scope: Scope },
): Promise<Statistics['totals']> {
  const rows = await store.countUsers(db, scope, now)
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
  'statistics.totals': { run: totals, isQuick: () => false, isBounded: false },
} satisfies QueryHandlers
