/** For tests of streamed lists: users enough that no reader has them all at once, and a reader that takes its time. */
import { adminKey, type Engine, type RunSql } from './harness.ts'

/**
 * 5,000 users whose names no coding makes much smaller, so that the list is more than the sockets between us hold. No
 * user of the API can be so large; many small ones would take long to make.
 */
export async function fillWithLargeUsers(engine: Engine, runSql: RunSql): Promise<void> {
  const numbers =
    engine.name === 'SQLite'
      ? `numbers (n, last_name) AS (
          SELECT 1, hex(randomblob(1500)) UNION ALL SELECT n + 1, hex(randomblob(1500)) FROM numbers WHERE n < 5000)`
      : `numbers (n, last_name) AS (
          SELECT n, (SELECT string_agg(encode(sha512(format('%s %s', n, i)::bytea), 'hex'), '') FROM generate_series(1, 24) AS i)
          FROM generate_series(1, 5000) AS n)`
  await runSql(`
    WITH RECURSIVE ${numbers},
      texts AS (SELECT substr(CAST(10000 + n AS text), 2) AS digits, last_name FROM numbers),
      names AS (
        SELECT '00000000-0000-7000-8000-00000000' || digits AS id, 'user-' || digits AS username, last_name,
          '2026-11-20T09:30:00.000Z' AS now FROM texts)
    INSERT INTO users (user_id, version, document, username, username_key, first_name, last_name, role, active,
      created_at, updated_at, search_text)
    SELECT id, 1, '{"user_id":"' || id || '","username":"' || username || '","email":null,"external_id":null,' ||
        '"first_name":"","last_name":"' || last_name || '","role":"user","active":true,"has_password":false,' ||
        '"last_login_at":null,"created_at":"' || now || '","updated_at":"' || now || '","attributes":{}}',
      username, username, '', last_name, 'user', 1, now, now, '' FROM names`)
}

export type Reading = { response: Response; first(): Promise<void>; rest(): Promise<string>; cancel(): Promise<void> }

/** Requests a list and reads nothing of it until asked to. */
export async function open(url: string, headers: Record<string, string> = {}): Promise<Reading> {
  const response = await fetch(url, { headers: { 'x-api-key': adminKey, 'accept-encoding': 'identity', ...headers } })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const parts: Uint8Array[] = []
  const readNext = async (): Promise<boolean> => {
    const { value, done } = await reader.read()
    if (value) parts.push(value)
    return !done
  }
  return {
    response,
    first: async () => void (await readNext()),
    async rest() {
      while (await readNext());
      return Buffer.concat(parts).toString()
    },
    cancel: () => reader.cancel(),
  }
}
