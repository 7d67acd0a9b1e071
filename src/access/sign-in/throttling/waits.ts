/**
 * Finds what prevents a user from signing in: the user's counts, and the networks that tried. A network that was refused
 * because of its attempts at other users left nothing in this user's counts, but the audit log names it.
 */

import { system } from '../../../core/actor.ts'
import { scopeOf } from '../../../core/scope.ts'
import { keptMs, networkLimit, strangerLimit } from '../../../directory/users/service.ts'
import { networksOf } from '../../../lib/address.ts'
import { timestamp } from '../../../lib/instant.ts'
import { findLatestAbout } from '../../../record/audit/service.ts'
import type { Db } from '../../../store/db/db.ts'
import { secondFactorOf, strangersOf, totalOf } from './attempt.ts'
import type { Wait } from './lock-schema.ts'
import { untilAllowed } from './throttle.ts'
import { findThrottles, findThrottlesOfUser, type Seen } from './throttle-store.ts'

/** How many of the newest records about the user are searched for networks. */
const searchedRecords = 200

export async function findWaits(ctx: { db: Db; now: number }, user_id: string): Promise<Wait[]> {
  const own = await findThrottlesOfUser(ctx.db, user_id)
  const tried = await triedNetworks(ctx, user_id)
  const ownWaits = [...own].flatMap(([key, seen]) => ownWait(key, { user_id, seen, tried, now: ctx.now }) ?? [])
  const networks = new Set([...tried.keys(), ...ownWaits.flatMap(({ network }) => network ?? [])])
  const buckets = await findThrottles(
    ctx.db,
    [...networks].map((network) => `network:${network}`),
  )
  const shared = [...buckets].flatMap(([key, seen]): Wait[] => {
    const wait = untilAllowed(seen, ctx.now)
    if (wait === 0) return []
    const network = key.slice('network:'.length)
    const until = timestamp(ctx.now + wait)
    return [networkWait({ network, seen, tried }, { until, reason: 'wrong_passwords_for_many_users' })]
  })
  return [...ownWaits, ...shared].toSorted(byImportance)
}

function byImportance(a: Wait, b: Wait): number {
  if ((a.kind === 'user') !== (b.kind === 'user')) return a.kind === 'user' ? -1 : 1
  return b.last_attempt_at.localeCompare(a.last_attempt_at)
}

type Counts = { user_id: string; seen: Seen; tried: ReadonlyMap<string, string>; now: number }

/** Returns the wait that one count of the user causes; undefined if none. */
function ownWait(key: string, { user_id, seen, tried, now }: Counts): Wait | undefined {
  const { failures, updatedAt } = seen
  const user = { kind: 'user' as const, network: null, attempts: failures, last_attempt_at: updatedAt }
  if (key === totalOf({ user_id })) {
    return failures >= strangerLimit ? { ...user, until: null, reason: 'locked' } : undefined
  }
  const wait = untilAllowed(seen, now)
  const until = timestamp(now + wait)
  if (key === secondFactorOf({ user_id })) {
    return wait > 0 ? { ...user, until, reason: 'wrong_passwords_from_many_networks' } : undefined
  }
  for (const door of ['username', 'email'] as const) {
    const shared = strangersOf({ user_id }, door)
    if (key === shared) return wait > 0 ? { ...user, until, reason: 'wrong_passwords_from_many_networks' } : undefined
    if (!key.startsWith(`${shared}:`)) continue
    const network = key.slice(shared.length + 1)
    const quietAt = Date.parse(updatedAt) + keptMs
    if (failures >= networkLimit && quietAt > now) {
      return networkWait({ network, seen, tried }, { until: timestamp(quietAt), reason: 'network_shut_out' })
    }
    return wait > 0 ? networkWait({ network, seen, tried }, { until, reason: 'wrong_passwords_for_user' }) : undefined
  }
  // Confirming a password in a session is no sign-in.
  if (key.startsWith(`user:${user_id}:session:`)) return undefined
  return wait > 0 ? { ...user, kind: 'browser', until, reason: 'wrong_passwords_for_user' } : undefined
}

type OfNetwork = { network: string; seen: Seen; tried: ReadonlyMap<string, string> }

function networkWait({ network, seen, tried }: OfNetwork, rest: Pick<Wait, 'until' | 'reason'>): Wait {
  // A refused attempt is not counted, so its record may be newer than the count.
  const last_attempt_at = [tried.get(network) ?? '', seen.updatedAt].toSorted().at(-1) ?? seen.updatedAt
  return { kind: 'network', network, ...rest, attempts: seen.failures, last_attempt_at }
}

/** Returns the networks from which sign-ins as this user failed within a day, each with its latest attempt. */
async function triedNetworks({ db, now }: { db: Db; now: number }, target: string): Promise<Map<string, string>> {
  const since = timestamp(now - keptMs)
  const tried = new Map<string, string>()
  for (const record of await findLatestAbout(db, scopeOf(system), { target, limit: searchedRecords })) {
    const { action, outcome, address, occurred_at } = record
    if (action !== 'session.created' || outcome !== 'failure' || address === null || occurred_at < since) continue
    const { network, site } = networksOf(address)
    for (const place of site === undefined ? [network] : [network, site]) {
      if (!tried.has(place)) tried.set(place, occurred_at)
    }
  }
  return tried
}
