/**
 * Which users are locked: their sign-in must wait now. The sign-in counts by these numbers (src/access/sign-in/throttling/throttle.ts),
 * and the list of users finds by them, so both agree.
 */
import { timestamp } from '../../lib/instant.ts'
import { rawSql, type Sql, sql } from '../../store/db/sql.ts'

/** From this many failures in a row on, each further attempt has to wait. */
export const freeFailures = 5
export const longestDelayMs = 15 * 60_000

/** NIST SP 800-63B-4 §3.2.2: at most 100 failures in a row. The last ten are reserved for familiar browsers. */
export const totalLimit = 100
export const strangerLimit = 90

/** One network's share of the strangers' failures; otherwise it could use them all up and lock everyone out. */
export const networkLimit = 20

/** After a day without an attempt the count restarts, except for the count of failures in a row. */
export const keptMs = 86_400_000

/** Later than any rule sets it: set by a wrong clock, so no attempt has to wait for it. */
export const longestWaitMs = 2 * longestDelayMs

/** The keys `user:<user_id>:…`; what follows the id starts at this character. */
const restStart = 43

/**
 * The ids of the users whose sign-in must wait at this instant, some of them twice. The numbers are written out, so that
 * the partial indexes of migration 0014 are seen to hold these rows. Confirming a password in a session is no sign-in.
 */
export function lockedUsers(at: string): Sql {
  const now = Date.parse(at)
  const ofUser = sql`throttle_key >= 'user:' AND throttle_key < 'user;'`
  const rest = (length: number) => rawSql(`substr(throttle_key, ${restStart}, ${length})`)
  return sql`
    SELECT substr(throttle_key, 6, 36) FROM sign_in_throttles
    WHERE ${rawSql(`failures >= ${freeFailures}`)} AND ${ofUser} AND allowed_at > ${timestamp(now)}
      AND allowed_at <= ${timestamp(now + longestWaitMs)} AND ${rest(8)} <> 'session:'
    UNION ALL
    SELECT substr(throttle_key, 6, 36) FROM sign_in_throttles
    WHERE ${rawSql(`failures >= ${networkLimit}`)} AND ${ofUser}
      AND ((${rest(6)} = 'total' AND ${rawSql(`failures >= ${strangerLimit}`)})
        OR (updated_at > ${timestamp(now - keptMs)} AND (${rest(9)} = 'username:' OR ${rest(6)} = 'email:')))`
}
