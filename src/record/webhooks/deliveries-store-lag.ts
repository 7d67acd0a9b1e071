import type { Db } from '../../store/db/db.ts'
import { sql } from '../../store/db/sql.ts'

/** How far webhooks are behind. */
export type Lag = {
  /** Deliveries that are to be sent to active endpoints, or sent again. */
  due: number
  /** Deliveries that wait behind another one of the same user. */
  queued: number
  /** Deliveries that were given up, of the last 30 days. */
  dead: number
  /** Active endpoints of which no delivery succeeds any more. */
  failing: number
  /**
   * Since when the oldest of what nobody has tried to send yet could have been sent: it waits for us. What waits for a
   * receiver, because that failed or asked for a pause, is left out. Null when nothing waits.
   */
  oldest_at: string | null
}

/** Each figure comes from an index. */
export async function lag(db: Db, now: string): Promise<Lag> {
  const row = await db.get<Lag>(sql`
    SELECT
      (SELECT count(*) FROM webhook_deliveries WHERE status = 'due'
        AND endpoint_id IN (SELECT endpoint_id FROM webhook_endpoints WHERE active = 1)) AS due,
      (SELECT count(*) FROM webhook_deliveries WHERE status = 'queued'
        AND endpoint_id IN (SELECT endpoint_id FROM webhook_endpoints WHERE active = 1)) AS queued,
      (SELECT count(*) FROM webhook_deliveries WHERE status = 'dead'
        AND endpoint_id IN (SELECT endpoint_id FROM webhook_endpoints WHERE deleted = 0)) AS dead,
      (SELECT count(*) FROM webhook_endpoints WHERE active = 1 AND failing_since IS NOT NULL) AS failing,
      (SELECT min(since) FROM (
        SELECT (SELECT min(next_attempt_at) FROM webhook_deliveries
            WHERE endpoint_id = well.endpoint_id AND status = 'due' AND attempt_count = 0) AS since
        FROM webhook_endpoints AS well
        WHERE active = 1 AND failing_since IS NULL AND (paused_until IS NULL OR paused_until <= ${now})
        UNION ALL
        SELECT (SELECT occurred_at FROM events WHERE seq > cursor ORDER BY seq LIMIT 1)
        FROM webhook_endpoints
        WHERE active = 1 AND failing_since IS NULL AND (paused_until IS NULL OR paused_until <= ${now})
      ) AS waiting) AS oldest_at`)
  return row as Lag
}
