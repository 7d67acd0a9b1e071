import type { Db } from '../db/db.ts'
import { postgresDb } from '../db/postgres/connection.ts'
import type { Primary } from '../db/postgres/primary.ts'
import type { Journal } from '../storage/registry.ts'
import { settleSome } from './change.ts'
import { withClient } from './connections.ts'
import { watchJournal } from './journal-watch.ts'
import type { Patience } from './patience.ts'
import { pendingBound } from './pending-bound.ts'
import { createSettler, type Settler } from './settler.ts'

type Parts = {
  journal: Journal
  db: Db
  primary: Primary
  schema: string
  patience: Patience
  isUp(): boolean
  /** There are new records or events. */
  onMoved(): void
  onEvent(message: string, error?: Error): void
}

export type JournalUpkeep = Pick<Settler, 'settleAll' | 'soon' | 'close'> & {
  /** Checks for entries that another node settled or did not settle. */
  look(): void
}

/** Gives entries of the journal their places: those of this node's changes, and those that another node has left. */
export function journalUpkeep(parts: Parts): JournalUpkeep {
  const { journal, db, primary, schema, patience, onMoved, onEvent } = parts
  const pending = pendingBound()
  const settler = createSettler({
    hasPending: () => journal.hasPending(db, pending.get()),
    // Bypasses the queue of changes: reads must not be refused because of many writes.
    settleSome: () =>
      patience(() => withClient(primary, (client) => settleSome(client, { journal, schema, after: pending.get() }))),
    onSettled: onMoved,
    onFault: (error) => onEvent('the journal could not be settled; retrying', error),
  })
  const watch = watchJournal({
    read: (work) => withClient(primary, (client) => work(postgresDb(client, schema))),
    pending,
    onPending: settler.soon,
    onMoved,
    // The watch reports a database that does not respond.
    onFault: (error) => parts.isUp() && onEvent('the journal could not be read; retrying', error),
  })
  return {
    settleAll: settler.settleAll,
    soon: settler.soon,
    look: watch.look,
    async close() {
      watch.close()
      await settler.close()
    },
  }
}
