/** The consequences of attempts: for each message, and for the mail server as a whole. */
import { timestamp } from '../../../lib/instant.ts'
import type { ChangeContext } from '../../../store/context.ts'
import { type Health, healthAfter } from '../../delivery/service.ts'
import * as store from '../store.ts'
import { deleteTokens } from '../tokens.ts'
import { givenUpAfterMs, retryDelayMs } from './schedule.ts'
import type { SendResult } from './smtp.ts'

export type Outcome = {
  mail_id: string
  /** The end of the lease as claimed: a later outcome is ignored. */
  claimed_until: string
  /** The hash of the token that was in it. */
  token_hash: string | null
  /** Undefined: it was released unsent, or without waiting for the outcome. */
  result: SendResult | undefined
  /** A random number from 0 to 1 that spreads the next try. */
  spread: number
}

/** Settles the outcomes. Returns the new state of the server, whose row is locked. */
export async function recordOutcomes(
  ctx: ChangeContext,
  server: Health,
  outcomes: readonly Outcome[],
): Promise<Health> {
  if (outcomes.length === 0) return server
  const ids = outcomes.map(({ mail_id }) => mail_id)
  const rows = new Map((await store.listByIds(ctx.db, ids)).map((row) => [row.mail_id, row]))
  // Another node has claimed it with a later lease: its outcome counts, and this one came too late.
  const valid = outcomes.filter((one) => rows.get(one.mail_id)?.claimed_until === one.claimed_until)
  await Promise.all([
    ...valid.map((one) =>
      store.writeOutcome(ctx.db, afterAttempt(rows.get(one.mail_id) as store.MailRow, one, ctx.now)),
    ),
    deleteTokens(ctx.db, valid.flatMap(unheard)),
  ])
  const results = valid.flatMap(({ result }) => (result === undefined ? [] : [result]))
  const learned = {
    // A server that responds about one message is accepting messages.
    hasSucceeded: results.some(({ kind }) => kind !== 'server'),
    failures: results.filter(({ kind }) => kind === 'server').length,
    askedMs: 0,
    isProbeWanted: valid.length > results.length,
  }
  const health = healthAfter(server, learned, ctx.now)
  if (health !== undefined) await store.setHealth(ctx.db, health)
  return health ?? server
}

/** The token of a message that certainly did not arrive. */
function unheard({ token_hash, result }: Outcome): string[] {
  return token_hash === null || result === undefined || result.kind === 'sent' || result.isUncertain ? [] : [token_hash]
}

function afterAttempt(row: store.MailRow, { result, spread }: Outcome, now: number): store.Settled {
  const { mail_id, attempt_count } = row
  const [error, response] = [result?.error ?? row.error, result?.response ?? row.response]
  const isOver = (status: store.MailStatus): store.Settled => ({
    mail_id,
    status,
    attempt_count: attempt_count + Number(result !== undefined),
    next_attempt_at: null,
    error: status === 'sent' ? null : error,
    response,
    finished_at: timestamp(now),
  })
  if (result?.kind === 'sent') return isOver('sent')
  // Its link ended while it was being sent.
  if (row.status === 'cancelled') return isOver('cancelled')
  if (result?.kind === 'refused' || now - Date.parse(row.planned_at) >= givenUpAfterMs) return isOver('failed')
  const again = { mail_id, status: 'waiting' as const, error, response, finished_at: null }
  // The server's fault: retry as soon as the server accepts messages, unless this message breaks the connection.
  if (result === undefined || (result.kind === 'server' && !result.isUncertain)) {
    return { ...again, attempt_count, next_attempt_at: timestamp(now) }
  }
  const count = attempt_count + 1
  return { ...again, attempt_count: count, next_attempt_at: timestamp(now + retryDelayMs(count, spread)) }
}
