import type { Db } from '../../store/db/db.ts'
import { sql } from '../../store/db/sql.ts'

/** The backlog of the webhooks. */
export type Lag = {
  /** Deliveries to active endpoints that are to be sent or retried. */
  due: number
  /** Deliveries that wait behind another one for the same user. */
  queued: number
  /** Deliveries given up in the last 30 days. */
  dead: number
  /** Active endpoints whose deliveries all fail. */
  failing: number
  /**
   * Since when the oldest delivery that was never tried could have been sent: it waits for us. Deliveries that wait for a
   * receiver, after a failure or a requested pause, are left out. Null if nothing waits.
   */
  oldest_at: string | null
}

/** Each figure is read from an index. */
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
