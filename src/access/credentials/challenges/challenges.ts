/**
 * Sign-ins and confirmations that wait for their next step, bound to the browser that started them. Leaves what a step
 * proves to sign-in/ and factors/.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import { AppError } from '../../../core/errors.ts'
import { timestamp } from '../../../lib/instant.ts'
import { isUuid } from '../../../lib/uuidv7.ts'
import { cancelMails } from '../../../record/mails/service.ts'
import { claimRun } from '../../../store/claim-run.ts'
import type { ChangeContext } from '../../../store/context.ts'
import type { Db } from '../../../store/db/db.ts'
import { inBatches } from '../../../store/in-batches.ts'
import * as store from './store.ts'

/** Long enough to fetch the phone from the next room. */
export const challengeSeconds = 300
/** A message takes longer. */
export const emailCodeSeconds = 600
const attemptsPerChallenge = 5
/** As many pages as a user has open at once; a flood replaces its own. */
const challengesPerUser = 5
/** Challenges whose user is not known yet: as many as wait at once in a large office. A flood replaces its own. */
const challengesPerNetwork = 500

export type Begun = Pick<store.ChallengeRow, 'purpose' | 'browser_hash'> &
  Partial<
    Pick<
      store.ChallengeRow,
      | 'challenge_id'
      | 'user_id'
      | 'amr'
      | 'credentials_version'
      | 'password_hash'
      | 'webauthn'
      | 'connection_id'
      | 'company'
      | 'network'
      | 'code_request'
      | 'email_key'
    >
  >

/** Which challenge is meant, and from which browser. */
export type Presented = { challenge_id: string; browser_hash: string; purpose: store.Purpose }

/** Binds a challenge to the holder of a secret: a cookie, or the id of a session. */
export function browserHash(secret: string): string {
  return hash('sha256', secret, 'hex')
}

export async function startChallenge(
  ctx: ChangeContext,
  begun: Begun,
): Promise<{ challenge_id: string; expires_at: string }> {
  const seconds = begun.purpose === 'email_code' ? emailCodeSeconds : challengeSeconds
  const expires_at = timestamp(ctx.now + seconds * 1000)
  const { challenge_id = ctx.newId(), user_id = null, amr = '' } = begun
  const { credentials_version = 0, password_hash = null, webauthn = null, connection_id = null, company = null } = begun
  const { network = null, code_request = null, email_key = null } = begun
  if (network !== null) await store.deleteOldestOfNetwork(ctx.db, network, challengesPerNetwork)
  await store.insertChallenge(ctx.db, {
    challenge_id,
    purpose: begun.purpose,
    browser_hash: begun.browser_hash,
    user_id,
    amr,
    credentials_version,
    password_hash,
    webauthn,
    connection_id,
    company,
    network,
    code_request,
    email_key,
    attempts: 0,
    created_at: timestamp(ctx.now),
    expires_at,
  })
  if (user_id !== null) await store.deleteOldestChallenges(ctx.db, user_id, challengesPerUser)
  return { challenge_id, expires_at }
}

/** @throws AppError `challenge_expired` */
export async function get(
  { db, now }: { db: Db; now: number },
  { challenge_id, ...presented }: Presented,
): Promise<store.ChallengeRow> {
  const found = isUuid(challenge_id) ? await store.findChallenge(db, challenge_id) : undefined
  return usable(found, presented, now)
}

/** Returns the user who took the first step of a sign-in in this browser, even if the challenge has expired meanwhile. */
export async function findProvenUser(
  db: Db,
  { challenge_id, browser_hash }: Omit<Presented, 'purpose'>,
): Promise<string | undefined> {
  const found = isUuid(challenge_id) ? await store.findChallenge(db, challenge_id) : undefined
  return found?.purpose === 'sign_in' && isOfBrowser(found, browser_hash) ? (found.user_id ?? undefined) : undefined
}

/**
 * Counts an attempt before it is checked, so that parallel ones cannot outrun the limit.
 *
 * @throws AppError `challenge_expired`
 */
export async function countAttempt(ctx: ChangeContext, presented: Presented): Promise<void> {
  usable(await store.findChallengeForChange(ctx.db, presented.challenge_id), presented, ctx.now)
  await store.countAttempt(ctx.db, presented.challenge_id)
}

/**
 * Ends a challenge that was met: of two requests that meet it, one succeeds.
 *
 * @throws AppError `challenge_expired`
 */
export async function finish(ctx: ChangeContext, presented: Presented): Promise<void> {
  // The last attempt was counted already, so the number of attempts does not matter here.
  const found = await store.findChallengeForChange(ctx.db, presented.challenge_id)
  usable(found && { ...found, attempts: 0 }, presented, ctx.now)
  if (!(await store.deleteChallenge(ctx.db, presented.challenge_id))) throw expired()
}

/** Ends what waits for a user, after a change of factors. */
export async function endAll(ctx: ChangeContext, userId: string): Promise<void> {
  await store.deleteChallengesOfUser(ctx.db, userId)
}

/** Ends the codes that the user got by email, and cancels the messages that would bring them. */
export async function endCodesOf(ctx: ChangeContext, userId: string): Promise<void> {
  await cancelMails(ctx.db, await store.deleteCodesOf(ctx.db, userId), timestamp(ctx.now))
}

/** Ends the sign-ins that began through a connection. */
export async function endAllThrough(ctx: ChangeContext, connectionId: string): Promise<void> {
  await store.deleteChallengesThrough(ctx.db, connectionId)
}

/** Ends what a user began through a connection. */
export async function endAllOfUserThrough(
  ctx: ChangeContext,
  account: { connection_id: string; user_id: string },
): Promise<void> {
  await store.deleteChallengesOfUserThrough(ctx.db, account)
}

/** Deletes expired challenges, unless a node did so within `everyMs`. */
export async function prune(ctx: ChangeContext, { everyMs }: { everyMs: number }): Promise<number> {
  if (!(await claimRun(ctx, 'challenges.prune', everyMs))) return 0
  return inBatches(() => store.deleteChallengesBefore(ctx.db, timestamp(ctx.now)))
}

function usable(
  found: store.ChallengeRow | undefined,
  { browser_hash, purpose }: Omit<Presented, 'challenge_id'>,
  now: number,
): store.ChallengeRow {
  const isOurs =
    found !== undefined &&
    found.purpose === purpose &&
    found.expires_at > timestamp(now) &&
    Number(found.attempts) < attemptsPerChallenge &&
    isOfBrowser(found, browser_hash)
  if (!isOurs) throw expired()
  return found
}

function isOfBrowser(found: store.ChallengeRow, browserHash: string): boolean {
  return timingSafeEqual(Buffer.from(found.browser_hash), Buffer.from(browserHash))
}

function expired(): AppError {
  const detail =
    'This step of the sign-in has expired, was used, had too many wrong attempts, or belongs to another browser. Start again.'
  return new AppError('challenge_expired', detail)
}
