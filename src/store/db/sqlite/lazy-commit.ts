import type { Connection } from './connection.ts'

/**
 * Runs the work in a transaction whose commit does not wait for the disk: the next durable commit, or the checkpoint, brings
 * it there. Only for what can be repeated: until then a power failure may undo it, as a whole.
 *
 * @see https://sqlite.org/pragma.html#pragma_synchronous
 */
export async function commitLazily<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  connection.exec('PRAGMA synchronous = NORMAL')
  try {
    return await connection.alone(work)
  } finally {
    // Otherwise acknowledged changes could be lost. Inside a transaction, which must have ended, this throws.
    connection.exec('PRAGMA synchronous = FULL')
  }
}
