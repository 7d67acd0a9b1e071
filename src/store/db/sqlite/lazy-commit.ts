import type { Connection } from './connection.ts'

/**
 * Runs work whose commits do not wait for the disk: the next durable commit, or the checkpoint, brings them there. Only for
 * what may be lost: until then a power failure undoes it, commit by commit. Steps of the search index do so, which took 20 creates
 * 300 ms apart from 43 syncs to 23 (docs/decisions/speed.md, 0134), and counts of sign-in attempts (`provisional`), which took eight
 * sign-ins from 16 to 8 (0145).
 *
 * @see https://sqlite.org/pragma.html#pragma_synchronous
 */
export async function withoutSync<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  connection.exec('PRAGMA synchronous = NORMAL')
  try {
    return await work()
  } finally {
    // Otherwise acknowledged changes could be lost. Inside a transaction, which must have ended, this throws.
    connection.exec('PRAGMA synchronous = FULL')
  }
}

/** Runs the work in a transaction of its own, whose commit does not wait for the disk. */
export function commitLazily<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  return withoutSync(connection, () => connection.alone(work))
}
