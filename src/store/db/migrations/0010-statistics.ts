import type { Migration } from './migration.ts'

/**
 * What happened on each UTC day, counted when the journal is written; and who was active today and yesterday, so that each
 * user counts once. Days that the store still has data for are counted here; `statistics_since` is the first day with
 * complete figures, and is missing in a new store.
 */
export const statistics: Migration = {
  name: '0010-statistics',
  needs: '0003-several-nodes',
  sqlite: [
    `CREATE TABLE daily_counts (
       date  TEXT NOT NULL,
       kind  TEXT NOT NULL,
       count INTEGER NOT NULL,
       PRIMARY KEY (date, kind)
     ) WITHOUT ROWID`,
    `CREATE TABLE active_users (
       date    TEXT NOT NULL,
       user_id TEXT NOT NULL,
       PRIMARY KEY (date, user_id)
     ) WITHOUT ROWID`,
    `INSERT INTO daily_counts (date, kind, count)
       SELECT substr(created_at, 1, 10) AS date, 'sign_ups', count(*) FROM (
         SELECT created_at FROM users
         UNION ALL SELECT json_extract(document, '$.created_at') FROM deleted_users) GROUP BY date`,
    `INSERT INTO daily_counts (date, kind, count)
       SELECT substr(occurred_at, 1, 10) AS date,
         CASE outcome WHEN 'success' THEN 'sign_ins' ELSE 'failed_sign_ins' END AS kind, count(*)
       FROM audit_records WHERE action = 'session.created' GROUP BY date, kind`,
    `INSERT INTO active_users (date, user_id)
       SELECT DISTINCT substr(last_seen_at, 1, 10), user_id FROM sessions WHERE last_seen_at >= date('now')`,
    `INSERT INTO daily_counts (date, kind, count)
       SELECT date, 'active_users', count(*) FROM active_users GROUP BY date`,
    `INSERT INTO journal_state (name, value)
       SELECT 'statistics_since', json_object('sign_ins', coalesce(
           (SELECT substr(occurred_at, 1, 10) FROM audit_records ORDER BY seq LIMIT 1), date('now')),
         'active_users', date('now'))
       WHERE EXISTS (SELECT 1 FROM users) OR EXISTS (SELECT 1 FROM audit_records)`,
  ],
  postgres: [
    `CREATE TABLE daily_counts (
       date  text COLLATE "C" NOT NULL,
       kind  text COLLATE "C" NOT NULL,
       count bigint NOT NULL,
       PRIMARY KEY (date, kind)
     ) WITH (fillfactor = 50)`,
    `CREATE TABLE active_users (
       date    text COLLATE "C" NOT NULL,
       user_id text COLLATE "C" NOT NULL,
       PRIMARY KEY (date, user_id)
     )`,
    `INSERT INTO daily_counts (date, kind, count)
       SELECT substr(created_at, 1, 10) AS date, 'sign_ups', count(*) FROM (
         SELECT created_at FROM users
         UNION ALL SELECT document::json ->> 'created_at' FROM deleted_users) AS people GROUP BY 1`,
    `INSERT INTO daily_counts (date, kind, count)
       SELECT substr(occurred_at, 1, 10),
         CASE outcome WHEN 'success' THEN 'sign_ins' ELSE 'failed_sign_ins' END, count(*)
       FROM audit_records WHERE action = 'session.created' GROUP BY 1, 2`,
    `INSERT INTO active_users (date, user_id)
       SELECT DISTINCT substr(last_seen_at, 1, 10), user_id FROM sessions
       WHERE last_seen_at >= to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
    `INSERT INTO daily_counts (date, kind, count)
       SELECT date, 'active_users', count(*) FROM active_users GROUP BY date`,
    `INSERT INTO journal_state (name, value)
       SELECT 'statistics_since', json_build_object('sign_ins', coalesce(
           (SELECT substr(occurred_at, 1, 10) FROM audit_records ORDER BY seq LIMIT 1),
           to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD')),
         'active_users', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD'))::text
       WHERE EXISTS (SELECT 1 FROM users) OR EXISTS (SELECT 1 FROM audit_records)`,
  ],
}
