/** A store without room between its row numbers, as release 0.1 filled it on SQLite. */

export const size = 3000
export const idOf = (n: number, last = 0) =>
  `019a0000-0000-7000-8000-${n.toString(16).padStart(8, '0')}${last.toString(16).padStart(4, '0')}`
export const middle = size / 2

/** Statements that fill an empty store. */
export const filling = `
  WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${size}),
    people AS MATERIALIZED (SELECT n, format('019a0000-0000-7000-8000-%08x0000', n) AS id, format('lin-%05d', n) AS name FROM numbers)
  INSERT INTO users (row_id, user_id, version, document, username, username_key, first_name, last_name, role, active,
    created_at, updated_at, search_text)
  SELECT n, id, 1, json_object('user_id', id, 'username', name, 'email', NULL, 'external_id', NULL, 'first_name', '',
      'last_name', '', 'role', 'user', 'active', json('true'), 'has_password', json('false'), 'last_login_at', NULL,
      'created_at', '2026-01-01T00:00:00.000Z', 'updated_at', '2026-01-01T00:00:00.000Z', 'attributes', json('{}')),
    name, name, '', '', 'user', 1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', char(10, 10) || name
  FROM people ORDER BY n;
  INSERT INTO search_pending SELECT row_id FROM users`

/** Counts the rows whose number is out of order. */
export const unordered = `
  SELECT count(*) AS n FROM (SELECT user_id, lag(user_id) OVER (ORDER BY row_id) AS before FROM users)
  WHERE before >= user_id`
