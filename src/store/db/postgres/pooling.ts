import type pg from 'pg'
import { misconfigured, OperatorError } from '../../../core/errors.ts'

/** One round is enough where a pooler reuses the connection that was released last; others take turns. */
const rounds = 4

/**
 * Refuses a pooler that gives each transaction another connection of the server, as PgBouncer does with `pool_mode = transaction`:
 * prepared statements, LISTEN and the settings of a session would be lost. Two clients of a server, or of a pooler that keeps
 * sessions, always have one process each.
 *
 * @throws OperatorError
 */
export async function refuseTransactionPooling(one: pg.ClientBase, other: pg.ClientBase): Promise<void> {
  const ofOne = new Set<number>()
  const ofOther = new Set<number>()
  for (let round = 0; round < rounds; round++) {
    // Never both at once: with a pool of one connection they would wait for each other.
    for (const [client, pids] of [
      [one, ofOne],
      [other, ofOther],
    ] as const) {
      const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
      pids.add(rows[0].pid)
    }
  }
  if (ofOne.size === 1 && ofOther.size === 1 && ofOne.isDisjointFrom(ofOther)) return
  throw new OperatorError(
    'ROLLBOOK_DATABASE_URL leads to a pooler in transaction mode, such as PgBouncer with pool_mode = transaction. It gives each ' +
      'transaction another connection, so prepared statements and LISTEN fail. Connect to the server directly, or to an entry of the ' +
      'pooler with pool_mode=session (docs/postgresql-reference.md).',
    { exitCode: misconfigured },
  )
}
