import { type Refusal, toRefusal } from '../../core/errors.ts'
import type { Connection } from '../db/sqlite/connection.ts'
import { storageRefusal } from '../db/sqlite/failures.ts'
import { emptyLog, vacuum } from '../db/sqlite/scrub.ts'
import type { Chore, Outcome } from '../storage/writer-protocol.ts'

/** A store of this size is rewritten in a fifth of a second; SQLite holds it in memory meanwhile. */
const vacuumedBytes = 32 * 1024 * 1024

type ChoreOutcome = { result: boolean } | { refusal: Refusal }

/** Does work on the files, outside of transactions. Requests for the same work share one result. */
export function doChores(connection: Connection, chores: readonly Chore[]): Outcome[] {
  const done = new Map<Chore['chore'], ChoreOutcome>()
  return chores.map(({ id, chore }): Outcome => {
    const result = done.get(chore) ?? doChore(connection, chore)
    done.set(chore, result)
    return { id, ...result }
  })
}

function doChore(connection: Connection, chore: Chore['chore']): ChoreOutcome {
  try {
    return { result: chore === 'vacuum' ? vacuum(connection, vacuumedBytes) : emptyLog(connection) }
  } catch (error) {
    const refusal = storageRefusal(error)
    if (refusal === undefined) throw error
    return { refusal: toRefusal(refusal) }
  }
}
