/**
 * Signs a command line in through the browser of its user: a request waits, the user approves it, and its code yields a personal
 * key once (RFC 6749 §4.1 with RFC 7636, RFC 8628). Leaves the key to keys/, and the page to pages/.
 */

import { timingSafeEqual } from 'node:crypto'
import { type SignedIn, system } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import { knownPermissions } from '../../../core/permissions.ts'
import { holds, type Rules } from '../../../core/rules.ts'
import { scopeOf } from '../../../core/scope.ts'
import * as users from '../../../directory/users/service.ts'
import { networkOf } from '../../../lib/address.ts'
import { timestamp } from '../../../lib/instant.ts'
import { claimRun } from '../../../store/claim-run.ts'
import type { ChangeContext } from '../../../store/context.ts'
import { inBatches } from '../../../store/in-batches.ts'
import * as keys from '../../credentials/keys/service.ts'
import { personOf, refuseEnded } from '../../credentials/sessions/service.ts'
import { holdBudgets } from '../throttling/service.ts'
import { challengeOf } from './codes.ts'
import * as store from './store.ts'

/** Long enough to sign in with a second factor on a phone, and short for a code that a stranger sends around. */
export const loginSeconds = 600
/** From the approval on; the browser brings the code at once. */
const codeSeconds = 60
/** RFC 8628 §3.2 and §3.5. */
export const pollSeconds = 5
const slowDownSeconds = 5
/** Timers and networks are not exact. */
const earlyMs = 500
/** How long a code that is used again is recognized. */
const rememberedMs = 24 * 3600 * 1000
/** As many as wait at once in a large office. A flood replaces its own. */
const loginsPerNetwork = 100
/** Wrong user codes of a user: ten at once, and one a minute. */
const guesses = { burst: 10, refillMs: 60_000 }

export type Begun = Pick<
  store.LoginRow,
  | 'flow'
  | 'page_hash'
  | 'secret_hash'
  | 'redirect_uri'
  | 'state'
  | 'code_challenge'
  | 'name'
  | 'permissions'
  | 'key_seconds'
>

export async function start(ctx: ChangeContext, begun: Begun): Promise<void> {
  const address = ctx.origin?.address ?? ''
  const network = networkOf(address)
  await store.deleteOldestOfNetwork(ctx.db, network, loginsPerNetwork)
  await store.insertLogin(ctx.db, {
    ...begun,
    login_id: ctx.newId(),
    address,
    network,
    created_at: timestamp(ctx.now),
    expires_at: timestamp(ctx.now + loginSeconds * 1000),
    polled_at: null,
    interval_seconds: pollSeconds,
    outcome: null,
    user_id: null,
    credentials_version: 0,
    key_id: null,
  })
}

/** Returns whether the user can decide about it now. */
export function waits(login: store.LoginRow | undefined, now: number): login is store.LoginRow {
  return login !== undefined && login.outcome === null && login.expires_at > timestamp(now)
}

/**
 * Finds the login of a user code that a signed-in user typed. Wrong ones are counted.
 *
 * @throws AppError `too_many_attempts`
 */
export async function lookUp(
  ctx: ChangeContext,
  { page_hash }: { page_hash: string },
): Promise<store.LoginRow | undefined> {
  const { user_id } = personOf(ctx)
  const detail = 'Too many codes were wrong. Wait before the next one.'
  const spend = await holdBudgets(ctx, [{ key: `cli-login:${user_id}`, ...guesses }], { detail, limit: 'attempts' })
  const found = await store.findByPage(ctx.db, page_hash)
  if (waits(found, ctx.now)) return found
  await spend()
  return undefined
}

/** What of a request its owner can grant, and what not. */
export function split(
  { permissions }: Pick<store.LoginRow, 'permissions'>,
  held: readonly string[],
  roles: Rules['roles'],
): { granted: string[]; beyond: string[] } {
  const wanted = permissions === null ? held : (JSON.parse(permissions) as string[])
  const known = knownPermissions(roles)
  const isGranted = (permission: string) => known.has(permission) && holds(held, permission)
  return { granted: wanted.filter(isGranted), beyond: wanted.filter((permission) => !isGranted(permission)) }
}

/**
 * Records the decision of the signed-in user. Undefined if the login no longer waits.
 *
 * @throws AppError `too_many_keys`, `credential_invalid`
 */
export async function decide(
  ctx: ChangeContext,
  { page_hash, isApproved, code_hash }: { page_hash: string; isApproved: boolean; code_hash: string },
): Promise<store.LoginRow | undefined> {
  const person = personOf(ctx)
  const { user_id } = person
  const { credentials_version } = await users.holdOwnRow(ctx, user_id)
  await refuseEnded(ctx)
  const found = await store.findByPageForChange(ctx.db, page_hash)
  if (!waits(found, ctx.now)) return undefined
  if (isApproved) await keys.refuseTooMany(ctx, user_id)
  const { granted } = split(found, ctx.actor.permissions, ctx.rules.roles)
  const isLoopback = found.flow === 'loopback'
  const decided: store.LoginRow = {
    ...found,
    user_id,
    credentials_version,
    outcome: isApproved ? 'approved' : 'denied',
    ...(isApproved && { permissions: JSON.stringify(granted) }),
    ...(isApproved && isLoopback && { secret_hash: code_hash }),
    ...(isLoopback && { expires_at: timestamp(ctx.now + codeSeconds * 1000) }),
  }
  await store.decide(ctx.db, decided)
  ctx.record({
    action: isApproved ? 'cli_login.approved' : 'cli_login.denied',
    target: users.personTarget(person as SignedIn),
    details: { name: found.name, requested_from: found.address, ...(isApproved && { permissions: granted }) },
  })
  return decided
}

export type Presented = { flow: store.Flow; secret_hash: string; code_verifier?: string; redirect_uri?: string }
export type Refused = 'authorization_pending' | 'slow_down' | 'access_denied' | 'expired_token' | 'invalid_grant'
export type Exchanged = { key: keys.KeyOfLogin } | { refused: Refused }

/** Exchanges a code for a key, once. A refusal is returned and not thrown, because what it changes must stay. */
export async function exchange(ctx: ChangeContext, presented: Presented): Promise<Exchanged> {
  // The user before the login, as everywhere: no two changes wait for each other.
  const before = await store.findBySecret(ctx.db, presented.secret_hash)
  if (before === undefined || before.flow !== presented.flow) return { refused: 'invalid_grant' }
  if (before.user_id !== null) await users.findRowForChange(ctx.db, scopeOf(ctx.actor), before.user_id)
  const found = await store.findBySecretForChange(ctx.db, presented.secret_hash)
  if (found === undefined) return { refused: 'invalid_grant' }
  if (found.user_id !== before.user_id) return { refused: 'authorization_pending' }
  if (found.key_id !== null && found.user_id !== null) {
    // RFC 6749 §4.1.2: two hold the code, and nobody knows which of them should not.
    await keys.revokeReplayed(by(ctx, system), { user_id: found.user_id, key_id: found.key_id })
    return { refused: 'invalid_grant' }
  }
  if (found.outcome === 'denied') return { refused: 'access_denied' }
  if (found.outcome === 'ended') return { refused: 'invalid_grant' }
  if (found.expires_at <= timestamp(ctx.now)) {
    return { refused: found.flow === 'device' ? 'expired_token' : 'invalid_grant' }
  }
  if (found.flow === 'loopback' && !isSameClient(found, presented)) {
    // The code has left its machine.
    await store.endLogin(ctx.db, found.login_id)
    return { refused: 'invalid_grant' }
  }
  return found.user_id === null ? wait(ctx, found) : issue(ctx, found, found.user_id)
}

function isSameClient(
  { code_challenge, redirect_uri }: store.LoginRow,
  { code_verifier = '', redirect_uri: presentedUri }: Presented,
): boolean {
  const [expected, actual] = [Buffer.from(code_challenge ?? ''), Buffer.from(challengeOf(code_verifier))]
  return expected.length === actual.length && timingSafeEqual(expected, actual) && redirect_uri === presentedUri
}

/** RFC 8628 §3.5. */
async function wait(ctx: ChangeContext, found: store.LoginRow): Promise<Exchanged> {
  const { login_id, polled_at } = found
  const interval = Number(found.interval_seconds)
  const isEarly = polled_at !== null && ctx.now - Date.parse(polled_at) < interval * 1000 - earlyMs
  const interval_seconds = isEarly ? interval + slowDownSeconds : interval
  await store.setPolled(ctx.db, { login_id, polled_at: timestamp(ctx.now), interval_seconds })
  return { refused: isEarly ? 'slow_down' : 'authorization_pending' }
}

async function issue(ctx: ChangeContext, found: store.LoginRow, user_id: string): Promise<Exchanged> {
  const key = await keys.createByLogin(ctx, {
    user_id,
    credentials_version: Number(found.credentials_version),
    name: found.name,
    permissions: JSON.parse(found.permissions ?? '[]') as string[],
    expires_at: timestamp(ctx.now + Number(found.key_seconds) * 1000),
  })
  if (key === undefined) {
    await store.endLogin(ctx.db, found.login_id)
    return { refused: 'invalid_grant' }
  }
  await store.setKey(ctx.db, found.login_id, key.key_id)
  return { key }
}

/** The records are the actor's: the request itself has no credential. */
function by(ctx: ChangeContext, actor: ChangeContext['actor']): ChangeContext {
  const own = { ...ctx, actor }
  return { ...own, record: (entry) => ctx.recordFor(own, entry) }
}

/** Ends what waits for a user who is deleted. */
export async function endAll(ctx: ChangeContext, userId: string): Promise<void> {
  await store.deleteLoginsOfUser(ctx.db, userId)
}

/** Deletes those that ended a day ago, unless a node did so within `everyMs`. */
export async function prune(ctx: ChangeContext, { everyMs }: { everyMs: number }): Promise<number> {
  if (!(await claimRun(ctx, 'cli_logins.prune', everyMs))) return 0
  return inBatches(() => store.deleteLoginsBefore(ctx.db, timestamp(ctx.now - rememberedMs)))
}

/** What the words of OAuth mean here (RFC 6749 §5.2, RFC 8628 §3.5). */
const refusals: Record<Refused, string> = {
  authorization_pending: 'The user has not decided yet. Ask again after the interval.',
  slow_down: 'You ask too often. Wait five seconds longer between two requests from now on.',
  access_denied: 'The user refused.',
  expired_token: 'The user did not decide in time. Start again.',
  invalid_grant: 'The code is unknown, was used, has expired, or belongs to another request. Start again.',
}

export function refusalOf(refused: Refused): AppError {
  return oauthError(refused, refusals[refused])
}

/** A problem document that is an error of OAuth as well. */
export function oauthError(code: Refused | 'unsupported_grant_type', detail: string): AppError {
  return new AppError(code, detail, { members: { error: code, error_description: detail } })
}
