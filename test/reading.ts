/** For tests of streamed lists: users enough that no reader has them all at once, and a reader that takes its time. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { adminKey } from './harness.ts'

/**
 * 5,000 users whose names no coding makes much smaller, so that the list is more than the sockets between us hold. No
 * user of the API can be so large; many small ones would take long to make.
 */
export function fillWithLargeUsers(directory: string): void {
  const database = new DatabaseSync(join(directory, 'rollbook.db'), { timeout: 5000 })
  database.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 5000),
      names AS MATERIALIZED (
        SELECT format('00000000-0000-7000-8000-%012d', n) AS id, format('user-%04d', n) AS username,
          hex(randomblob(1500)) AS last_name, '2026-11-20T09:30:00.000Z' AS now FROM numbers)
    INSERT INTO users (user_id, version, document, username, username_key, first_name, last_name, role, active,
      created_at, updated_at, search_text)
    SELECT id, 1, json_object('user_id', id, 'username', username, 'email', NULL, 'external_id', NULL, 'first_name', '',
        'last_name', last_name, 'role', 'user', 'active', json('true'), 'has_password', json('false'),
        'last_login_at', NULL, 'created_at', now, 'updated_at', now),
      username, username, '', last_name, 'user', 1, now, now, '' FROM names`)
  database.close()
}

export type Reading = { response: Response; first(): Promise<void>; rest(): Promise<string>; leave(): Promise<void> }

/** Asks for a list and takes nothing of it until it is told to. */
export async function open(url: string, headers: Record<string, string> = {}): Promise<Reading> {
  const response = await fetch(url, { headers: { 'x-api-key': adminKey, 'accept-encoding': 'identity', ...headers } })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const parts: Uint8Array[] = []
  const take = async (): Promise<boolean> => {
    const { value, done } = await reader.read()
    if (value) parts.push(value)
    return !done
  }
  return {
    response,
    first: async () => void (await take()),
    async rest() {
      while (await take());
      return Buffer.concat(parts).toString()
    },
    leave: () => reader.cancel(),
  }
}
